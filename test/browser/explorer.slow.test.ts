import { afterAll, beforeAll, expect, test } from 'vitest'
import { explorerPolicy } from '../../host/node/serve/explorer-policy.ts'
import { drop, textOf, withTab } from '../support/browser/browser.ts'
import { serveExplorer, shown, stands } from '../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../support/browser/failing-node.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import type { Site } from '../support/browser/site.ts'
import { until } from '../support/until.ts'

const SEARCH = 'Search a transaction, block or address'

let node: FailingNode
let site: Site
let bundle: string
beforeAll(async () => {
  node = await startFailingNode()
  bundle = await node.bundle()
  site = await serveExplorer()
})
afterAll(async () => {
  await site?.close()
  await node?.close()
})

test('the explorer page is served with its content security policy', async () => {
  const { headers } = await fetch(node.explorer)
  expect(headers.get('content-security-policy')).toBe(explorerPolicy())
})

inBrowsers('the explorer', (browser) => {
  test('the explorer opens a failed transaction by its hash and shows the failure and its line', async () => {
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      await tab.goto(node.explorer)
      await tab.getByRole('searchbox', { name: SEARCH }).fill(node.failed)
      await tab.keyboard.press('Enter')
      await shown(tab, 'Why it failed')
      await shown(tab, 'reverted with 0x')
      expect(tab.url()).toBe(`${node.explorer}/tx/${node.failed}`)
      await drop(tab, 'body', [node.compiled.buildInfo])
      await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
      await shown(tab, 'Vault.sol, line 18, in Vault.pay')
      await shown(tab, '18 if (spent > limit) revert OverLimit(spent, limit);')
    })
  })

  test('the explorer shows the same view in a new tab from its URL', async () => {
    const [first, again] = [{ text: '', url: '' }, { text: '' }]
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      await tab.goto(`${node.explorer}/tx/${node.failed}`)
      await tab.getByRole('tab', { name: 'Logs 1', exact: true }).click()
      await shown(tab, 'Unknown event')
      first.text = await textOf(tab, 'main')
      first.url = tab.url()
    })
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      await tab.goto(first.url)
      await shown(tab, 'Unknown event')
      again.text = await textOf(tab, 'main')
    })
    expect(again.text).toBe(first.text)
  })

  test('the explorer reruns the failed transaction with another argument, which succeeds, and links to that run', async () => {
    const [outcome, link] = [/Outcome .*OverLimit.* succeeded/, { url: '' }]
    await withTab(
      browser(),
      { hosts: [node.host], viewport: { width: 1440, height: 1000 } },
      async (tab) => {
        await tab.goto(`${node.explorer}/tx/${node.failed}?tab=debug`)
        await stands(tab, /REVERT/)
        await drop(tab, 'body', [node.compiled.buildInfo])
        await shown(tab, 'serve failed')
        await tab.click('.what-if > summary')
        await tab.fill('#argument-1', '40')
        await tab.getByRole('button', { name: 'Run with these arguments', exact: true }).click()
        await shown(tab, outcome)
        await until(() => /[?&]changes=/.test(tab.url()))
        link.url = tab.url()
      },
    )
    await withTab(
      browser(),
      { hosts: [node.host], viewport: { width: 1440, height: 1000 } },
      async (tab) => {
        await tab.goto(link.url)
        await drop(tab, 'body', [node.compiled.buildInfo])
        await shown(tab, outcome)
      },
    )
  })
})

inBrowsers('the explorer as files, after its node stopped', (browser) => {
  beforeAll(() => node.close())

  test('the explorer opens a bundle file that is dropped on the page', async () => {
    await expect(fetch(node.explorer)).rejects.toThrow('fetch failed')
    await withTab(browser(), { hosts: [site.host] }, async (tab) => {
      await tab.goto(site.url)
      await drop(tab, 'body', [{ name: 'failed.json', text: bundle }])
      await shown(tab, 'Why it failed')
      await shown(tab, 'Calls 3')
    })
  })
})
