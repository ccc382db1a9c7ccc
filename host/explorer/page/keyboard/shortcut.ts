import { lookup } from '../../../base/lookup.ts'
import type { Explorer } from '../explorer.ts'
import type { OpenedRun } from '../run/opened-run.ts'

interface Keys {
  /** As `KeyboardEvent.key` has it; no modifier but the shift that the character itself takes. */
  readonly keys: readonly [string, ...string[]]
  /** What it does, for the help. */
  readonly does: string
}

/** Works on every page. */
export interface PageShortcut extends Keys {
  readonly scope: 'page'
  perform(explorer: Explorer): void
}

/** Works while a transaction is open. */
export interface RunShortcut extends Keys {
  readonly scope: 'run'
  perform(run: OpenedRun, explorer: Explorer): void
}

export type Shortcut = PageShortcut | RunShortcut

/** What of a keyboard's event decides whether it is a shortcut. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly defaultPrevented: boolean
}

/** The shortcut of a key, unless the key belongs to the browser or has been used by the element that has focus. */
export function shortcutOf(shortcuts: readonly Shortcut[], press: KeyPress): Shortcut | undefined {
  if (press.defaultPrevented || press.ctrlKey || press.metaKey || press.altKey) return undefined
  return shortcuts.find(({ keys }) => keys.includes(press.key))
}

/** A key as it is written on the keyboard. */
export function keyName(key: string): string {
  return lookup(KEY_NAMES, key) ?? key
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
}
