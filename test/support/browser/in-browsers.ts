import { afterAll, beforeAll, describe } from 'vitest'
import type { Browser, BrowserOptions } from './browser.ts'
import { BROWSER_NAMES, installedBrowser, whyNoBrowser } from './installed.ts'
import { openBrowser } from './open-browser.ts'

/**
 * Describes tests for each browser, one after the other: it is open while they run. Where one is not installed
 * its tests are skipped, and their name says why.
 */
export function inBrowsers(
  what: string,
  tests: (browser: () => Browser) => void,
  options: BrowserOptions = {},
): void {
  for (const name of BROWSER_NAMES) {
    const isThere = installedBrowser(name) !== undefined
    const title = isThere ? `${what}, in ${name}` : `${what}, in ${name} (${whyNoBrowser(name)})`
    describe.skipIf(!isThere)(title, () => {
      let browser: Browser | undefined
      beforeAll(async () => {
        browser = await openBrowser(name, options)
      })
      afterAll(() => browser?.close())
      tests(() => browser as Browser)
    })
  }
}
