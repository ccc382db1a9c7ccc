import { chromium, type Locator, type Page } from 'playwright-core'
import type { Browser, BrowserOptions } from './browser.ts'
import { dropFiles, reportViolations, settle, shownText } from './in-page.ts'
import type { DroppedFile, Tab, TabOptions, Target } from './tab.ts'
import { Troubles } from './troubles.ts'

/** Longer than a busy machine takes to show anything. */
const PATIENCE_MS = 30_000

/** Chromium, driven by playwright-core over its own protocol. */
export async function openChromium(
  executablePath: string,
  { theme = 'light' }: BrowserOptions,
): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    // Its sandbox refuses to run as root, as tests do in containers
    args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none'],
  })
  return {
    name: 'chromium',
    version: browser.version(),
    async open(options) {
      const { width = 1280, height = 800 } = options
      const context = await browser.newContext({
        colorScheme: theme,
        viewport: { width, height },
        reducedMotion: 'reduce',
      })
      context.setDefaultTimeout(PATIENCE_MS)
      await context.addInitScript(reportViolations)
      return new ChromiumTab(await context.newPage(), options)
    },
    close: () => browser.close(),
  }
}

class ChromiumTab implements Tab {
  readonly #page: Page
  readonly #troubles: Troubles

  constructor(page: Page, { hosts }: TabOptions) {
    this.#page = page
    const troubles = new Troubles(hosts)
    this.#troubles = troubles
    page.on('pageerror', (error) => troubles.add(`error: ${error.stack ?? error.message}`))
    page.on('crash', () => troubles.add('the tab crashed'))
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.add(`console: ${message.text()}`)
    })
    // Those of its workers too
    page.context().on('request', (request) => troubles.request(request.url()))
    page.on('websocket', (socket) => troubles.request(socket.url()))
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
    return this.#find(target).click()
  }

  fill(target: Target, text: string): Promise<void> {
    return this.#find(target).fill(text)
  }

  press(key: string): Promise<void> {
    return this.#page.keyboard.press(key)
  }

  hover(target: Target): Promise<void> {
    return this.#find(target).hover()
  }

  shows(target: Target): Promise<boolean> {
    return this.#find(target).isVisible()
  }

  text(target: Target): Promise<string> {
    return this.#find(target).evaluate(shownText)
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
    return this.#page.setViewportSize({ width, height })
  }

  settled(): Promise<void> {
    return this.#page.evaluate(settle)
  }

  screenshot(): Promise<Uint8Array> {
    return this.#page.screenshot({ animations: 'disabled', caret: 'hide' })
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
    await this.#page.context().close()
    this.#troubles.end()
  }

  #find(target: Target): Locator {
    if (typeof target === 'string') return this.#page.locator(target).first()
    const { role, name } = target
    return this.#page.getByRole(role as 'button', { name, exact: true }).first()
  }
}
