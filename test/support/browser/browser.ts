import { existsSync } from 'node:fs'
import { type BrowserContext, chromium, firefox, type Page } from 'playwright-core'

export type BrowserName = 'chromium' | 'firefox'
export type Theme = 'light' | 'dark'

/** Environment variable for each browser, and the paths at which distributions install it. */
const INSTALLED = {
  chromium: {
    variable: 'LOCKSTEP_CHROMIUM',
    paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
    debian: 'chromium',
  },
  firefox: {
    variable: 'LOCKSTEP_FIREFOX',
    paths: ['/usr/bin/firefox', '/usr/bin/firefox-esr'],
    debian: 'firefox-esr',
  },
} as const

export const BROWSER_NAMES: readonly BrowserName[] = ['chromium', 'firefox']

/** Longer than a busy machine needs to show a page. */
const PATIENCE_MS = 60_000

/** URLs that cause no network request. */
const LOCAL = /^(data|blob|about|chrome|resource|moz-extension):/

/** Returns the path of a browser, or undefined if it is not installed. An empty variable means: use none. */
export function installedBrowser(name: BrowserName): string | undefined {
  const { variable, paths } = INSTALLED[name]
  return (process.env[variable] ?? paths.find((path) => existsSync(path))) || undefined
}

/** Returns the reason why a test cannot run, for its name. */
export function whyNoBrowser(name: BrowserName): string {
  const { variable, debian } = INSTALLED[name]
  return `no ${name}: install it (Debian: ${debian}) or set ${variable} to its path`
}

export interface Viewport {
  readonly width: number
  readonly height: number
}

/** A headless browser with one theme. */
export interface Browser {
  readonly name: BrowserName
  readonly version: string
  /** Opens separate storage and settings for a tab. */
  newContext(viewport: Viewport): Promise<BrowserContext>
  close(): Promise<void>
}

/** @throws Error if the browser is not installed */
export async function openBrowser(name: BrowserName, theme: Theme = 'light'): Promise<Browser> {
  const executablePath = installedBrowser(name)
  if (executablePath === undefined) throw new Error(whyNoBrowser(name))
  const isFirefox = name === 'firefox'
  const browser = isFirefox
    ? await firefox.launch({
        executablePath,
        // Drives an unmodified Firefox over WebDriver BiDi, which cannot set media features
        channel: 'moz-firefox',
        firefoxUserPrefs: {
          'layout.css.prefers-color-scheme.content-override': theme === 'dark' ? 0 : 1,
          'ui.prefersReducedMotion': 1,
          // By default the driver lets a page from a file read the files beside it
          'security.fileuri.strict_origin_policy': true,
        },
      })
    : await chromium.launch({
        executablePath,
        // Chromium's sandbox does not run as root, as tests do in containers
        args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none'],
      })
  const media = isFirefox ? {} : { colorScheme: theme, reducedMotion: 'reduce' as const }
  return {
    name,
    version: browser.version(),
    newContext: (viewport) => browser.newContext({ viewport, ...media }),
    close: () => browser.close(),
  }
}

/** A page of a browser that records its errors. */
export type Tab = Page & {
  /** Errors, policy violations and requests to hosts that are not allowed, so far. */
  readonly troubles: string[]
}

export interface TabOptions {
  /** `host:port` of servers to which the page may send requests. */
  readonly hosts: readonly string[]
  readonly viewport?: Viewport
}

/** Runs in the page before its own scripts: logs each policy violation as an error to the console. */
function reportViolations(): void {
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
    console.error(`policy: ${violatedDirective} refuses ${blockedURI} (${sourceFile})`)
  })
}

/**
 * Opens a tab with separate storage, runs `work` in it, and closes it.
 * @throws Error with the errors of the page that are still in `troubles`
 */
export async function withTab<Result>(
  browser: Browser,
  { hosts, viewport = { width: 1280, height: 800 } }: TabOptions,
  work: (tab: Tab) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext(viewport)
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript(reportViolations)
  const troubles: string[] = []
  const tab: Tab = Object.assign(await context.newPage(), { troubles })
  const lookAt = (url: string) => {
    if (LOCAL.test(url) || hosts.includes(new URL(url).host)) return
    troubles.push(`request to another host: ${url}`)
  }
  tab.on('pageerror', (error) => troubles.push(`error: ${error.stack ?? error.message}`))
  tab.on('crash', () => troubles.push('the tab crashed'))
  tab.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`)
  })
  // Includes the requests of workers
  context.on('request', (request) => lookAt(request.url()))
  tab.on('websocket', (socket) => lookAt(socket.url()))
  let result: Result
  try {
    result = await work(tab)
  } catch (thrown) {
    const message = [(thrown as Error).message, 'in the page:', ...troubles].join('\n')
    throw troubles.length === 0 ? thrown : new Error(message, { cause: thrown })
  } finally {
    await context.close()
  }
  if (troubles.length > 0) throw new Error(`in the page:\n${troubles.join('\n')}`)
  return result
}

export interface DroppedFile {
  readonly name: string
  readonly text: string
}

/** Returns the visible text of an element. `body` is the whole page. */
export function textOf(tab: Page, selector: string): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: hidden text is not to be read
  return tab.innerText(selector)
}

/** Drops files on an element, as a user does from a folder. */
export async function drop(
  tab: Page,
  selector: string,
  files: readonly DroppedFile[],
): Promise<void> {
  await tab.locator(selector).evaluate((target, dropped) => {
    const dataTransfer = new DataTransfer()
    for (const { name, text } of dropped) dataTransfer.items.add(new File([text], name))
    for (const type of ['dragenter', 'dragover', 'drop']) {
      const init = { dataTransfer, bubbles: true, cancelable: true, composed: true }
      target.dispatchEvent(new DragEvent(type, init))
    }
  }, files)
}

/** Resolves after fonts have loaded and the page has not changed for a tenth of a second. */
export function settled(tab: Page): Promise<void> {
  return tab.evaluate(async () => {
    await document.fonts.ready
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, 100)
      const later = () => {
        clearTimeout(timer)
        timer = setTimeout(resolve, 100)
      }
      const what = { subtree: true, childList: true, attributes: true, characterData: true }
      new MutationObserver(later).observe(document, what)
    })
  })
}

/**
 * Resolves after three animation frames in a row without a change of the page: enough after a resize, which the page
 * answers within frames.
 */
export function drawn(tab: Page): Promise<void> {
  return tab.evaluate(async () => {
    let quiet = 0
    const observer = new MutationObserver(() => {
      quiet = 0
    })
    const what = { subtree: true, childList: true, attributes: true, characterData: true }
    observer.observe(document, what)
    while (quiet < 3) {
      await new Promise(requestAnimationFrame)
      quiet++
    }
    observer.disconnect()
  })
}
