import { lookup } from '../../../base/lookup.ts'
import type { Explorer } from '../explorer.ts'
import type { OpenedRun } from '../run/opened-run.ts'

interface Keys {
  /** As in `KeyboardEvent.key`; without modifiers except the shift that the character itself needs. */
  readonly keys: readonly [string, ...string[]]
  /** Its action, for the help. */
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

/** The parts of a keyboard event that decide whether it is a shortcut. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly defaultPrevented: boolean
}

/** Returns the shortcut of a key, unless the browser uses the key or the focused element has handled it. */
export function shortcutOf(shortcuts: readonly Shortcut[], press: KeyPress): Shortcut | undefined {
  if (press.defaultPrevented || press.ctrlKey || press.metaKey || press.altKey) return undefined
  return shortcuts.find(({ keys }) => keys.includes(press.key))
}

/** Returns the label of a key on the keyboard. */
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
