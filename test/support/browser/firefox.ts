import { type ElementHandle, type KeyInput, launch, type Page } from 'puppeteer-core'
import type { Browser, BrowserOptions, Theme } from './browser.ts'
import { dropFiles, reportViolations, settle, shownText } from './in-page.ts'
import type { DroppedFile, Tab, TabOptions, Target } from './tab.ts'
import { Troubles } from './troubles.ts'

/** Longer than a busy machine takes to show anything. */
const PATIENCE_MS = 30_000

/** Values of layout.css.prefers-color-scheme.content-override. */
const SCHEMES: Readonly<Record<Theme, number>> = { dark: 0, light: 1 }

/** A stock Firefox, driven by puppeteer-core over WebDriver BiDi. */
export async function openFirefox(
  executablePath: string,
  { theme = 'light' }: BrowserOptions,
): Promise<Browser> {
  const browser = await launch({
    browser: 'firefox',
    protocol: 'webDriverBiDi',
    executablePath,
    headless: true,
    defaultViewport: null,
    extraPrefsFirefox: {
      'layout.css.prefers-color-scheme.content-override': SCHEMES[theme],
      'ui.prefersReducedMotion': 1,
      // As people have it: the driver would let a page that lies as a file read those beside it
      'security.fileuri.strict_origin_policy': true,
    },
  })
  return {
    name: 'firefox',
    version: (await browser.version()).replace(/^.*\//, ''),
    async open(options) {
      // Each has storage of its own
      const context = await browser.createBrowserContext()
      const page = await context.newPage()
      const { width = 1280, height = 800 } = options
      await page.setViewport({ width, height })
      await page.evaluateOnNewDocument(reportViolations)
      return new FirefoxTab(page, options)
    },
    close: () => browser.close(),
  }
}

class FirefoxTab implements Tab {
  readonly #page: Page
  readonly #troubles: Troubles

  constructor(page: Page, { hosts }: TabOptions) {
    this.#page = page
    page.setDefaultTimeout(PATIENCE_MS)
    const troubles = new Troubles(hosts)
    this.#troubles = troubles
    page.on('pageerror', (error) => {
      troubles.add(`error: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
    })
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.add(`console: ${message.text()}`)
    })
    page.on('request', (request) => troubles.request(request.url()))
  }

  async goto(url: string): Promise<void> {
    await this.#page.goto(url)
  }

  async reload(): Promise<void> {
    await this.#page.reload()
  }

  async goBack(): Promise<void> {
    await this.#page.goBack()
  }

  url(): string {
    return this.#page.url()
  }

  click(target: Target): Promise<void> {
    return this.#page.locator(selectorOf(target)).click()
  }

  async fill(target: Target, text: string): Promise<void> {
    await this.#page.locator(selectorOf(target)).fill(text)
  }

  async press(key: string): Promise<void> {
    const names = key === '+' ? ['+'] : key.split('+')
    const held = names.slice(0, -1) as KeyInput[]
    const { keyboard } = this.#page
    for (const name of held) await keyboard.down(name)
    await keyboard.press(names.at(-1) as KeyInput)
    for (const name of held.reverse()) await keyboard.up(name)
  }

  async hover(target: Target): Promise<void> {
    await this.#page.locator(selectorOf(target)).hover()
  }

  async shows(target: Target): Promise<boolean> {
    const found = await this.#page.$(selectorOf(target))
    return (await found?.isVisible()) ?? false
  }

  async text(target: Target): Promise<string> {
    const found = await this.#page.waitForSelector(selectorOf(target))
    return (found as ElementHandle<Element>).evaluate(shownText)
  }

  drop(selector: string, files: readonly DroppedFile[]): Promise<void> {
    return this.run(dropFiles, { selector, files })
  }

  run<Argument, Result>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result> {
    return this.#page.evaluate(work as never, argument) as Promise<Result>
  }

  resize(width: number, height: number): Promise<void> {
    return this.#page.setViewport({ width, height })
  }

  settled(): Promise<void> {
    return this.#page.evaluate(settle)
  }

  screenshot(): Promise<Uint8Array> {
    return this.#page.screenshot()
  }

  async inject(script: string): Promise<void> {
    await this.#page.evaluate(script)
  }

  troubles(): readonly string[] {
    return this.#troubles.list()
  }

  takeTroubles(): readonly string[] {
    return this.#troubles.take()
  }

  async close(): Promise<void> {
    await this.#page.browserContext().close()
    this.#troubles.end()
  }
}

function selectorOf(target: Target): string {
  if (typeof target === 'string') return target
  return `aria/[name=${JSON.stringify(target.name)}][role=${JSON.stringify(target.role)}]`
}
