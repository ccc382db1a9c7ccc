import { afterAll, beforeAll, describe } from 'vitest'
import {
  BROWSER_NAMES,
  type Browser,
  installedBrowser,
  openBrowser,
  type Theme,
  whyNoBrowser,
} from './browser.ts'

/** Declares tests for each browser, which is open while they run. Skips those of a browser that is not installed. */
export function inBrowsers(
  what: string,
  tests: (browser: () => Browser) => void,
  theme?: Theme,
): void {
  for (const name of BROWSER_NAMES) {
    const isThere = installedBrowser(name) !== undefined
    const title = isThere ? `${what}, in ${name}` : `${what}, in ${name} (${whyNoBrowser(name)})`
    describe.skipIf(!isThere)(title, () => {
      let browser: Browser | undefined
      beforeAll(async () => {
        browser = await openBrowser(name, theme)
      })
      afterAll(() => browser?.close())
      tests(() => browser as Browser)
    })
  }
}
