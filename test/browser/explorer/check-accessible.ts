import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from '../../support/browser/axe.ts'
import { settled, type Tab, type Theme, withTab } from '../../support/browser/browser.ts'
import { shown } from '../../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../../support/browser/failing-node.ts'
import { inBrowsers } from '../../support/browser/in-browsers.ts'
import { pages } from './explorer-pages.ts'

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

/** Declares the axe-core tests of every page of the explorer in a theme. */
export function checkAccessible(theme: Theme): void {
  let node: FailingNode
  beforeAll(async () => {
    node = await startFailingNode()
  })
  afterAll(() => node?.close())

  inBrowsers(
    `the explorer in the ${theme} theme`,
    (browser) => {
      test('axe finds no violation on any page, tab or dialog, at wide and narrow widths', async () => {
        const found: string[] = []
        const look = async (name: string, where: Tab) => {
          for (const violation of await violations(where)) found.push(`${name}: ${violation}`)
        }
        for (const { name, path, isThere, open } of pages(node)) {
          // A tab for each page: the files dropped on one stay in its storage.
          await withTab(browser(), { hosts: [node.host], viewport: WIDE }, async (tab) => {
            await tab.goto(`${node.explorer}${path}`)
            await shown(tab, isThere)
            await open?.(tab)
            await look(name, tab)
            // The narrow layout is the same in every browser.
            if (browser().name !== 'chromium') return
            await tab.setViewportSize(NARROW)
            // A table becomes focusable only after the page finds that it overflows its frame.
            await settled(tab)
            await look(`${name}, narrow`, tab)
          })
        }
        expect(found).toEqual([])
      })
    },
    theme,
  )
}
