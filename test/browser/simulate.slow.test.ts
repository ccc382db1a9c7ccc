import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drop, type Tab, withTab } from '../support/browser/browser.ts'
import { shown, stands } from '../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../support/browser/failing-node.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

const HOSTILE = '"><img src=x onerror=alert(1)>\u202e'
const PAYEE = devAccount(1).address

let node: FailingNode
let rpc: string
beforeAll(async () => {
  node = await startFailingNode()
  rpc = node.daemon.ready.rpc
})
afterAll(() => node?.close())

function serveData(amount: bigint): Hex {
  const args = [PAYEE, amount]
  return encodeFunctionData({ abi: node.compiled.abi, functionName: 'serve', args })
}

const press = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true }).click()

/** Announces a wallet with a hostile name (EIP-6963), which signs by an account of the node. */
async function injectWallet(tab: Tab): Promise<void> {
  const given = { rpc, name: HOSTILE, account: devAccount(2).address }
  await tab.addInitScript(({ rpc, name, account }) => {
    const request = async ({ method, params = [] }: { method: string; params?: unknown[] }) => {
      if (method === 'eth_requestAccounts') return [account]
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(rpc, { method: 'POST', headers, body })
      const { result, error } = await response.json()
      if (error !== undefined) throw new Error(error.message)
      return result
    }
    const detail = {
      info: { uuid: '1', name, icon: 'data:,', rdns: 'test' },
      provider: { request },
    }
    addEventListener('eip6963:requestProvider', () => {
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    })
  }, given)
}

inBrowsers('a call that was never sent', (browser) => {
  const inTab = (work: (tab: Tab) => Promise<void>) =>
    withTab(browser(), { hosts: [node.host], viewport: { width: 1440, height: 1000 } }, work)

  test('is written by a function of the ABI, and its failure is explained and debugged', () =>
    inTab(async (tab) => {
      await tab.goto(`${node.explorer}/call/${node.teller.toLowerCase()}`)
      await shown(tab, 'Send it as a transaction')
      await drop(tab, 'body', [node.compiled.buildInfo])
      await tab.getByLabel('Function', { exact: true }).selectOption('serve(address,uint256)')
      await tab.fill('#call-argument-0', PAYEE)
      await tab.fill('#call-argument-1', 'many')
      await press(tab, 'Simulate')
      await shown(tab, 'amount: want a whole number for uint256, got "many"')
      await tab.fill('#call-argument-1', '41')
      await press(tab, 'Simulate')
      await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
      await shown(tab, 'Vault.sol, line 18, in Vault.pay')
      await shown(tab, /Simulated on the state after block \d+; nothing was sent/)
      await tab.getByRole('tab', { name: 'Debugger', exact: true }).click()
      await stands(tab, /, REVERT, .*line 18 of Vault.sol/)
      await expect(
        call(rpc, 'eth_call', [{ to: node.teller, data: serveData(41n) }, 'latest']),
      ).rejects.toThrow('revert')
    }))

  test('runs with overrides of the state, and at a height', () =>
    inTab(async (tab) => {
      const receipt = await call(rpc, 'eth_getTransactionReceipt', [node.succeeded])
      const before = Number((receipt as { blockNumber: Hex }).blockNumber) - 1
      const link = `${node.explorer}/call/${node.teller.toLowerCase()}?with=data:${serveData(41n)},from:${PAYEE},value:0`
      await tab.goto(`${link}&at=${before}`)
      await drop(tab, 'body', [node.compiled.buildInfo])
      await shown(tab, 'serve succeeded')
      await tab.goto(link)
      await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
      await tab.getByText('Change the call, or send it', { exact: true }).click()
      // The form has the call of the link, by its function.
      await expect.poll(() => tab.inputValue('#call-argument-1')).toBe('41')
      await tab.getByLabel('Override', { exact: true }).selectOption('slot')
      await tab.fill('#override-account', node.vault)
      await tab.fill('#override-slot', '0')
      await tab.fill('#override-value', '1000')
      await press(tab, 'Add')
      await shown(tab, 'slot 0x0 of')
      await press(tab, 'Simulate')
      await shown(tab, 'serve succeeded')
      await tab.reload()
      await shown(tab, 'serve succeeded')
    }))

  test('says what is wrong with a link that has no call', () =>
    inTab(async (tab) => {
      await tab.goto(`${node.explorer}/call/new?with=data:0x12,oops`)
      await shown(tab, 'This call cannot be run')
      await shown(tab, 'change: want one of data, value, from')
      await tab.goto(`${node.explorer}/call/new?at=999999&with=data:0x,from:${PAYEE}`)
      await shown(tab, 'has no block 999999')
    }))

  test('is sent by an account of the node, or by a wallet with a hostile name', () =>
    inTab(async (tab) => {
      await injectWallet(tab)
      for (const signer of [devAccount(1).address, HOSTILE]) {
        await tab.goto(`${node.explorer}/call/${PAYEE.toLowerCase()}`)
        await shown(tab, 'Send it as a transaction')
        await tab.fill('#call-value', '5')
        const options = tab.locator('#call-signer option')
        const wanted = signer === HOSTILE ? /^"><img src=x/ : new RegExp(`^${signer.slice(0, 6)}`)
        const value = await options.filter({ hasText: wanted }).getAttribute('value')
        await tab.selectOption('#call-signer', value)
        await press(tab, 'Send')
        await shown(tab, '5 wei sent to')
        const hash = /\/tx\/(0x[0-9a-f]{64})/.exec(tab.url())?.[1]
        const sent = await call(rpc, 'eth_getTransactionByHash', [hash])
        const from = signer === HOSTILE ? devAccount(2).address : signer
        expect(sent).toMatchObject({ from: from.toLowerCase(), value: '0x5', input: '0x' })
      }
      expect(await tab.locator('img[src=x]').count()).toBe(0)
    }))
})

inBrowsers('the functions of a contract that only read', (browser) => {
  test('are answered in place', async () => {
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      await tab.goto(`${node.explorer}/address/${node.vault.toLowerCase()}`)
      await shown(tab, 'to read it by function')
      await drop(tab, 'body', [{ ...node.compiled.buildInfo, name: HOSTILE }])
      await press(tab, 'Read limit')
      await shown(tab, /limit\(\) Read It returned .*uint256 100/)
      await tab.getByRole('textbox', { name: /^argument 0/ }).fill(PAYEE)
      await press(tab, 'Read paid')
      await shown(tab, /paid\(address\) Read .*uint256 60/)
      await tab.getByRole('textbox', { name: /^argument 0/ }).fill('0x1')
      await press(tab, 'Read paid')
      await shown(tab, 'argument 0: ')
      expect(await tab.locator('img[src=x]').count()).toBe(0)
    })
  })
})
