import { afterAll, beforeAll, expect, test } from 'vitest'
import { drop, settled, type Tab, withTab } from '../support/browser/browser.ts'
import { shown } from '../support/browser/explorer-tab.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { type LongestNode, startLongestNode } from '../support/browser/longest-node.ts'
import { outOfReach } from './explorer/out-of-reach.ts'

const WIDTHS = [320, 390, 640, 960, 1_100, 1_270, 1_440, 2_560] as const

let node: LongestNode
beforeAll(async () => {
  node = await startLongestNode()
})
afterAll(() => node?.close())

interface LongView {
  readonly name: string
  readonly path: (node: LongestNode) => string
  readonly isThere: string | RegExp
}

const TABS = [
  ['summary', 'What happened'],
  ['calls', /[Cc]all/],
  ['logs', /Logs/],
  ['changes', 'Balance'],
  ['gas', 'Including nested'],
  ['gas&gasBy=line', 'Including nested'],
  ['debug', 'Step '],
  ['debug&pane=source', 'Step '],
  ['debug&pane=storage', 'Step '],
] as const

const VIEWS: readonly LongView[] = [
  { name: 'home', path: () => '', isThere: 'Recent transactions' },
  { name: 'block', path: ({ block }) => `/block/${block}`, isThere: 'Fee recipient' },
  { name: 'address', path: ({ contract }) => `/address/${contract}`, isThere: 'Balance' },
  ...(['wrote', 'failed', 'failedWithError'] as const).flatMap((sent) =>
    TABS.map(([tab, isThere]) => ({
      name: `${tab} of ${sent}`,
      path: (node: LongestNode) => `/tx/${node[sent]}?tab=${tab}`,
      isThere,
    })),
  ),
]

async function open(tab: Tab, { path, isThere }: LongView): Promise<void> {
  await tab.goto(`${node.explorer}${path(node)}`)
  await drop(tab, 'body', [node.compiled.buildInfo])
  await shown(tab, isThere)
  await settled(tab)
}

inBrowsers('a page with the longest values', (browser) => {
  test.each(VIEWS)('$name has everything within reach at eight widths', async (view) => {
    const hosts = [node.host]
    await withTab(browser(), { hosts, viewport: { width: 1_440, height: 900 } }, async (tab) => {
      await open(tab, view)
      const found: string[] = []
      for (const width of WIDTHS) {
        await tab.setViewportSize({ width, height: 900 })
        await settled(tab)
        found.push(...(await outOfReach(tab)).map((what) => `${width}: ${what}`))
      }
      expect(found).toEqual([])
    })
  })
})
