import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawn, drop, type Tab, withTab } from '../../support/browser/browser.ts'
import { shown } from '../../support/browser/explorer-tab.ts'
import { inBrowsers } from '../../support/browser/in-browsers.ts'
import { type LongestNode, startLongestNode } from '../../support/browser/longest-node.ts'
import { outOfReach } from './out-of-reach.ts'

const WIDTHS = [320, 390, 640, 960, 1_100, 1_270, 1_440, 2_560] as const

/** The parts of a transaction by their link, and a text of each. */
const TABS = [
  ['summary', 'What happened'],
  ['calls', /[Cc]all/],
  ['logs', /Logs/],
  ['changes', 'Balance'],
  ['gas', 'Including nested'],
  ['gas&gasBy=function', 'Including nested'],
  ['gas&gasBy=line', 'Including nested'],
  ['debug', 'Step '],
  ['debug&pane=source', 'Step '],
  ['debug&pane=storage', 'Step '],
  ['debug&pane=frames', 'at step '],
  ['debug&pane=variables', 'Step '],
  ['debug&pane=watch&watch=msg.sender;nothing', 'Step '],
] as const

const PLACES = [
  { name: 'home', path: () => '', isThere: 'Recent transactions' },
  {
    name: 'block',
    path: ({ block }: LongestNode) => `/block/${block}`,
    isThere: 'Fee recipient',
  },
  {
    name: 'address',
    path: ({ contract }: LongestNode) => `/address/${contract}`,
    isThere: 'Balance',
  },
  {
    name: 'call form',
    path: ({ contract }: LongestNode) =>
      `/#/call/${contract}?with=${'data:0x'.padEnd(7_001, 'ab')},from:${contract},code:${contract}:0x${'ab'.repeat(3_000)}`,
    isThere: 'nothing was sent',
  },
]

/** The functions that the transactions call, which the page names once it has their sources. */
const FUNCTION = /writeEverythingWithAFunctionOfALongName|failWithAnErrorOfALongName/

/** Returns a dev node with the longest values, which runs for the tests of a file. */
export function longestNode(): () => LongestNode {
  let node: LongestNode
  beforeAll(async () => {
    node = await startLongestNode()
  })
  afterAll(() => node?.close())
  return () => node
}

/** Measures the page at all widths. */
async function measured(tab: Tab): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await tab.setViewportSize({ width, height: 900 })
    await drawn(tab)
    found.push(...(await outOfReach(tab)).map((what) => `${width}: ${what}`))
  }
  return found
}

/** Follows a link of the page, which keeps the dropped files. */
function follow(tab: Tab, link: string): Promise<void> {
  return tab.evaluate((link) => {
    history.pushState(null, '', link)
    dispatchEvent(new PopStateEvent('popstate'))
  }, link)
}

/** Declares the tests of the pages other than transactions. */
export function checkLayoutOfPages(node: () => LongestNode): void {
  inBrowsers('a page with the longest values', (browser) => {
    test.each(PLACES)('has everything within reach at eight widths: $name', async (place) => {
      await withTab(browser(), { hosts: [node().host] }, async (tab) => {
        await tab.goto(`${node().explorer}${place.path(node())}`)
        await shown(tab, place.isThere)
        await tab.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true
        })
        expect(await measured(tab)).toEqual([])
      })
    })
  })
}

/** Declares the tests of each part of a transaction. */
export function checkLayoutOf(
  sent: 'wrote' | 'failed' | 'failedWithError',
  node: () => LongestNode,
): void {
  inBrowsers(`the pages of a transaction with the longest values, ${sent}`, (browser) => {
    test('have everything within reach at eight widths, without sources and with them', async () => {
      await withTab(browser(), { hosts: [node().host] }, async (tab) => {
        const link = `${node().explorer}/tx/${node()[sent]}`
        await tab.goto(`${link}?tab=calls`)
        await shown(tab, /\d gas/)
        const found = (await measured(tab)).map((what) => `calls without sources, ${what}`)
        await drop(tab, 'body', [node().compiled.buildInfo])
        await shown(tab, FUNCTION)
        for (const [part, isThere] of TABS) {
          await follow(tab, `${link}?tab=${part}`)
          await shown(tab, isThere)
          found.push(...(await measured(tab)).map((what) => `${part}, ${what}`))
        }
        expect(found).toEqual([])
      })
    })
  })
}
