import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Browser,
  installedBrowser,
  openBrowser,
  settled,
  whyNoBrowser,
  withTab,
} from '../support/browser/browser.ts'
import { shown } from '../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../support/browser/failing-node.ts'
import { pages } from './explorer/explorer-pages.ts'
import { differenceFromReference, takeReference } from './explorer/picture.ts'

/** Pages that look the same in every run: no list of blocks, and no debugger page that shows a time. */
const PICTURED: readonly string[] = [
  'summary decoded',
  'calls',
  'gas',
  'debugger',
  'source',
  'what if',
  'help',
]
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

const isRenewing = process.env.LOCKSTEP_SCREENSHOTS === 'renew'
const isThere = installedBrowser('chromium') !== undefined

// Chromium only: rendering differences between browsers are not the page's fault.
describe.skipIf(!isThere)(isThere ? 'pages look' : `pages (${whyNoBrowser('chromium')})`, () => {
  let node: FailingNode
  beforeAll(async () => {
    node = await startFailingNode()
  })
  afterAll(() => node?.close())

  test.each(['light', 'dark'] as const)(
    'like the reference screenshots in the %s theme, at wide and narrow widths',
    async (theme) => {
      const browser: Browser = await openBrowser('chromium', theme)
      try {
        const differences: string[] = []
        for (const { name, path, isThere, open } of pages(node)) {
          if (!PICTURED.includes(name)) continue
          for (const size of SIZES) {
            await withTab(browser, { hosts: [node.host], viewport: size }, async (tab) => {
              await tab.goto(`${node.explorer}${path}`)
              await shown(tab, isThere)
              await open?.(tab)
              await settled(tab)
              const picture = await tab.screenshot({ animations: 'disabled', caret: 'hide' })
              const title = `${name.replaceAll(' ', '-')}-${theme}-${size.width}`
              if (isRenewing) takeReference(title, picture)
              const difference = differenceFromReference(title, picture)
              if (difference !== undefined) differences.push(difference)
            })
          }
        }
        expect(differences).toEqual([])
      } finally {
        await browser.close()
      }
    },
  )

  test.skipIf(isRenewing)(
    'different from the references if a part is missing or has moved',
    async () => {
      const browser = await openBrowser('chromium')
      try {
        const [wide] = SIZES as [(typeof SIZES)[number]]
        await withTab(browser, { hosts: [node.host], viewport: wide }, async (tab) => {
          await tab.goto(`${node.explorer}/tx/${node.failed}?tab=calls`)
          await shown(tab, 'Debug where it failed')
          const change = async (styles: string) => {
            await tab.evaluate((styles) => {
              const sheet = new CSSStyleSheet()
              sheet.replaceSync(styles)
              document.adoptedStyleSheets = [sheet]
            }, styles)
            await settled(tab)
            return differenceFromReference(
              'calls-light-1440',
              await tab.screenshot({ animations: 'disabled', caret: 'hide' }),
            )
          }
          expect(await change('')).toBeUndefined()
          expect(await change('[role=tree] { visibility: hidden }')).toMatch(
            /% of its points differ/,
          )
          expect(await change('main { margin-top: 12px }')).toMatch(/% of its points differ/)
          expect(await change('body { background: #cde }')).toMatch(/% of its points differ/)
        })
      } finally {
        await browser.close()
      }
    },
  )
})
