import type { Browser, BrowserOptions } from './browser.ts'
import { openChromium } from './chromium.ts'
import { openFirefox } from './firefox.ts'
import { type BrowserName, installedBrowser, whyNoBrowser } from './installed.ts'
import type { Tab, TabOptions } from './tab.ts'

const OPENERS: Readonly<
  Record<BrowserName, (path: string, options: BrowserOptions) => Promise<Browser>>
> = { chromium: openChromium, firefox: openFirefox }

/** @throws Error where it is not installed */
export async function openBrowser(
  name: BrowserName,
  options: BrowserOptions = {},
): Promise<Browser> {
  const path = installedBrowser(name)
  if (path === undefined) throw new Error(whyNoBrowser(name))
  return OPENERS[name](path, options)
}

/** Opens a tab for some work and closes both, whatever comes of it. What went wrong in the page fails the work. */
export async function withTab<Result>(
  browser: Browser,
  options: TabOptions,
  work: (tab: Tab) => Promise<Result>,
): Promise<Result> {
  const tab = await browser.open(options)
  let result: Result
  try {
    result = await work(tab)
  } catch (thrown) {
    const troubles = tab.takeTroubles()
    await tab.close()
    if (troubles.length === 0) throw thrown
    throw new Error(`${(thrown as Error).message}\nin the page:\n${troubles.join('\n')}`, {
      cause: thrown,
    })
  }
  await tab.close()
  return result
}
