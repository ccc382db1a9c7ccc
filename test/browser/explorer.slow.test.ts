import { afterAll, beforeAll, expect, test } from 'vitest'
import { explorerPolicy } from '../../host/node/serve/explorer-policy.ts'
import { serveExplorer, shown, stands } from '../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../support/browser/failing-node.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { withTab } from '../support/browser/open-browser.ts'
import type { Site } from '../support/browser/site.ts'
import { until } from '../support/until.ts'

const SEARCH = { role: 'searchbox', name: 'Search a transaction, block or address' }

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

test('the page is served under its policy', async () => {
  const { headers } = await fetch(node.explorer)
  expect(headers.get('content-security-policy')).toBe(explorerPolicy())
})

inBrowsers('the explorer', (browser) => {
  test('opens a failed transaction by its hash and says what failed, and in which line', async () => {
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      await tab.goto(node.explorer)
      await tab.fill(SEARCH, node.failed)
      await tab.press('Enter')
      await shown(tab, 'Why it failed')
      await shown(tab, 'reverted with 0x')
      expect(tab.url()).toBe(`${node.explorer}/tx/${node.failed}`)
      await tab.drop('body', [node.compiled.buildInfo])
      await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
      await shown(tab, 'Vault.sol, line 18, in Vault.pay')
      await shown(tab, '18 if (spent > limit) revert OverLimit(spent, limit);')
    })
  })

  test('shows the same view in a new tab from its address', async () => {
    const [first, again] = [{ text: '', url: '' }, { text: '' }]
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      await tab.goto(`${node.explorer}/tx/${node.failed}`)
      await tab.click({ role: 'tab', name: 'Logs 1' })
      await shown(tab, 'Unknown event')
      first.text = await tab.text('main')
      first.url = tab.url()
    })
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      await tab.goto(first.url)
      await shown(tab, 'Unknown event')
      again.text = await tab.text('main')
    })
    expect(again.text).toBe(first.text)
  })

  test('runs it again with another argument, with which it succeeds, and links to that', async () => {
    const [outcome, link] = [/Outcome .*OverLimit.* succeeded/, { url: '' }]
    await withTab(browser(), { hosts: [node.host], width: 1440, height: 1000 }, async (tab) => {
      await tab.goto(`${node.explorer}/tx/${node.failed}?tab=debug`)
      await stands(tab, /REVERT/)
      await tab.drop('body', [node.compiled.buildInfo])
      await shown(tab, 'serve failed')
      await tab.click('.what-if > summary')
      await tab.fill('#argument-1', '40')
      await tab.click({ role: 'button', name: 'Run with these arguments' })
      await shown(tab, outcome)
      await until(() => /[?&]changes=/.test(tab.url()))
      link.url = tab.url()
    })
    await withTab(browser(), { hosts: [node.host], width: 1440, height: 1000 }, async (tab) => {
      await tab.goto(link.url)
      await tab.drop('body', [node.compiled.buildInfo])
      await shown(tab, outcome)
    })
  })
})

inBrowsers('the explorer as files, its node stopped', (browser) => {
  beforeAll(() => node.close())

  test('takes a bundle that is dropped on it', async () => {
    await expect(fetch(node.explorer)).rejects.toThrow('fetch failed')
    await withTab(browser(), { hosts: [site.host] }, async (tab) => {
      await tab.goto(site.url)
      await tab.drop('body', [{ name: 'failed.json', text: bundle }])
      await shown(tab, 'Why it failed')
      await shown(tab, 'Calls 3')
    })
  })
})
