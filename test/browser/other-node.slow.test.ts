import { existsSync } from 'node:fs'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { drop, withTab } from '../support/browser/browser.ts'
import { serveExplorer, shown, stands } from '../support/browser/explorer-tab.ts'
import {
  type CompiledVault,
  compileVault,
  type FailedCalls,
  sendFailing,
} from '../support/browser/failing-node.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import type { Site } from '../support/browser/site.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { ANVIL, type Anvil, startAnvil } from '../support/peer/anvil.ts'

const CHAIN = 31_337
const hasAnvil = existsSync(ANVIL)
const why = hasAnvil ? '' : ' (no anvil: npm install --no-save --prefix bench/peers)'

describe.skipIf(!hasAnvil)(`the explorer at a node of another client${why}`, () => {
  let anvil: Anvil
  let site: Site
  let compiled: CompiledVault
  let calls: FailedCalls
  beforeAll(async () => {
    anvil = await startAnvil(CHAIN)
    await call(anvil.url, 'evm_setAutomine', [true])
    site = await serveExplorer()
    compiled = compileVault()
    calls = await sendFailing(anvil.url, CHAIN, compiled)
  })
  afterAll(async () => {
    await site?.close()
    await anvil?.stop()
  })

  inBrowsers('the explorer as files', (browser) => {
    test('opens a failed transaction, explains it, and debugs it', async () => {
      const hosts = [site.host, new URL(anvil.url).host]
      await withTab(browser(), { hosts, viewport: { width: 1440, height: 1000 } }, async (tab) => {
        await tab.goto(`${site.url}#/tx/${calls.failed}?rpc=${encodeURIComponent(anvil.url)}`)
        await shown(tab, 'Why it failed')
        await drop(tab, 'body', [compiled.buildInfo])
        await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
        await tab.keyboard.press('f')
        await stands(tab, /, REVERT, .*line 18 of Vault.sol/)
      })
    })

    test('runs a call that was never sent on its state', async () => {
      const hosts = [site.host, new URL(anvil.url).host]
      await withTab(browser(), { hosts }, async (tab) => {
        const args = [devAccount(1).address, 41n]
        const data = encodeFunctionData({ abi: compiled.abi, functionName: 'serve', args })
        const call = `data:${data},from:${devAccount(0).address},value:0`
        const rpc = encodeURIComponent(anvil.url)
        await tab.goto(`${site.url}#/call/${calls.teller.toLowerCase()}?rpc=${rpc}&with=${call}`)
        await drop(tab, 'body', [compiled.buildInfo])
        await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
        await shown(tab, /Simulated on the state after block \d+; nothing was sent/)
      })
    })
  })
})
