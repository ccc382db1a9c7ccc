import { afterAll, beforeAll, expect, test } from 'vitest'
import { drop, withTab } from '../support/browser/browser.ts'
import { shown } from '../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../support/browser/failing-node.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'

let node: FailingNode
beforeAll(async () => {
  node = await startFailingNode()
})
afterAll(() => node?.close())

inBrowsers('dropped sources', (browser) => {
  test('stay for the next visit until the user forgets them', async () => {
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      const link = `${node.explorer}/tx/${node.failed}`
      await tab.goto(link)
      await shown(tab, 'Why it failed')
      await drop(tab, 'body', [node.compiled.buildInfo])
      await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
      await tab.goto(`${node.explorer}/block/1`)
      await tab.goto(link)
      await shown(tab, 'serve failed: OverLimit(spent: 101, limit: 100)')
      await tab.getByRole('button', { name: 'Forget build-info.json', exact: true }).click()
      await shown(tab, 'reverted with 0x')
      await tab.goto(`${node.explorer}/block/1`)
      await tab.goto(link)
      await shown(tab, 'reverted with 0x')
      expect(await tab.getByRole('button', { name: /^Forget / }).count()).toBe(0)
    })
  })

  test('with a hostile name are shown as text, also when they are kept', async () => {
    await withTab(browser(), { hosts: [node.host] }, async (tab) => {
      const name = '"><img src=x onerror=alert(1)>\u202e.json'
      await tab.goto(node.explorer)
      await drop(tab, 'body', [{ ...node.compiled.buildInfo, name }])
      const forget = tab.getByRole('button', { name: /^Forget "><img src=x.*u\{202e\}\.json$/ })
      await forget.waitFor()
      await tab.goto(`${node.explorer}/block/1`)
      await forget.waitFor()
      expect(await tab.locator('img[src=x]').count()).toBe(0)
    })
  })
})
