import type { BrowserName } from './installed.ts'
import type { Tab, TabOptions } from './tab.ts'

export type Theme = 'light' | 'dark'

export interface BrowserOptions {
  /** What the system prefers; light by default. */
  readonly theme?: Theme
}

/** A browser in processes of its own, without a window. */
export interface Browser {
  readonly name: BrowserName
  readonly version: string
  open(options: TabOptions): Promise<Tab>
  /** Ends its processes, whatever tabs are open. */
  close(): Promise<void>
}
