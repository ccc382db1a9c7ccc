import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from '../../support/browser/axe.ts'
import { settled, type Tab, type Theme, withTab } from '../../support/browser/browser.ts'
import { shown } from '../../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../../support/browser/failing-node.ts'
import { inBrowsers } from '../../support/browser/in-browsers.ts'
import { pages } from './explorer-pages.ts'

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

/** Declares the tests that axe-core makes of every page of the explorer in a theme. */
export function checkAccessible(theme: Theme): void {
  let node: FailingNode
  beforeAll(async () => {
    node = await startFailingNode()
  })
  afterAll(() => node?.close())

  inBrowsers(
    `axe-core finds nothing, ${theme}`,
    (browser) => {
      test('axe finds no fault on any page, tab or dialog, wide or narrow', async () => {
        await withTab(browser(), { hosts: [node.host], viewport: WIDE }, async (tab) => {
          const found: string[] = []
          const look = async (name: string, where: Tab) => {
            for (const violation of await violations(where)) found.push(`${name}: ${violation}`)
          }
          for (const { name, path, isThere, open } of pages(node)) {
            await tab.goto(`${node.explorer}${path}`)
            await shown(tab, isThere)
            await open?.(tab)
            await look(name, tab)
            // What is narrow in one is narrow in the other
            if (browser().name !== 'chromium') continue
            await tab.setViewportSize(NARROW)
            // A table gets its place in the order of focus once it is found to be wider than its frame
            await settled(tab)
            await look(`${name}, narrow`, tab)
            await tab.setViewportSize(WIDE)
          }
          expect(found).toEqual([])
        })
      })
    },
    theme,
  )
}
