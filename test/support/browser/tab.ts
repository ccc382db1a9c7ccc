/** What a test points at: a CSS selector, or a role with the accessible name in full. */
export type Target = string | { readonly role: string; readonly name: string }

export interface DroppedFile {
  readonly name: string
  readonly text: string
}

/** What is passed into a page and comes back: it is sent as JSON. */
export type Sent =
  | null
  | boolean
  | number
  | string
  | readonly Sent[]
  | { readonly [name: string]: Sent }

/**
 * A tab of a browser under test, alike in all of them. What is pointed at is waited for until it can be used.
 * Everything that goes wrong in the page is kept, and `close` throws it.
 */
export interface Tab {
  /** Resolves once the document and its scripts have loaded. */
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** The browser's own button. */
  goBack(): Promise<void>
  url(): string
  click(target: Target): Promise<void>
  /** Gives a field this text in place of what it holds. */
  fill(target: Target, text: string): Promise<void>
  /** A key by its name in KeyboardEvent.key, `Shift+n` with one held, where the focus is. */
  press(key: string): Promise<void>
  hover(target: Target): Promise<void>
  /** Whether it is there and to be seen, now. */
  shows(target: Target): Promise<boolean>
  /** Its text as it is shown; of the whole page by `body`. */
  text(target: Target): Promise<string>
  /** Drops files on an element, as from a folder of the system. */
  drop(selector: string, files: readonly DroppedFile[]): Promise<void>
  /** Runs a function in the page. It sees nothing of the test but its argument. */
  run<Argument, Result>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>
  resize(width: number, height: number): Promise<void>
  /** Resolves once fonts are there and nothing of the page has changed for a tenth of a second. */
  settled(): Promise<void>
  /** A PNG of what the window shows. */
  screenshot(): Promise<Uint8Array>
  /** Runs a script's text in the page, past the content security policy. */
  inject(script: string): Promise<void>
  /** What went wrong in the page by now: errors, refusals of the policy, requests to others than `hosts`. */
  troubles(): readonly string[]
  /** Takes note of what went wrong as the test wanted it, and forgets it. */
  takeTroubles(): readonly string[]
  /** @throws Error with what went wrong in the page and was not taken */
  close(): Promise<void>
}

export interface TabOptions {
  /** `host:port` of servers that the page may ask: any other request is a trouble. */
  readonly hosts: readonly string[]
  readonly width?: number
  readonly height?: number
}
