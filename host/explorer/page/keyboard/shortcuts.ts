import { lookup } from '../../../base/lookup.ts'
import { DEBUG_ACTIONS } from '../debug/toolbar/actions.ts'
import { shownRun } from '../state/debug/what-if-run.ts'
import type { Explorer } from '../state/explorer.ts'
import type { OpenedRun } from '../state/opened-run.ts'
import { TABS } from '../view/parameters.ts'

interface Keys {
  /** As in `KeyboardEvent.key`; without modifiers except the shift that the character itself needs. */
  readonly keys: readonly [string, ...string[]]
  /** Its action, for the help. */
  readonly does: string
}

/** Works on every page. */
interface PageShortcut extends Keys {
  readonly scope: 'page'
  perform(explorer: Explorer): void
}

/** Works while a transaction is open. */
interface RunShortcut extends Keys {
  readonly scope: 'run'
  perform(run: OpenedRun, explorer: Explorer): void
}

export type Shortcut = PageShortcut | RunShortcut

/** Every shortcut: the handled keys and their help. */
export const SHORTCUTS: readonly Shortcut[] = [
  {
    scope: 'page',
    keys: ['/'],
    does: 'Search a transaction, block or address',
    perform: () => document.getElementById('search')?.focus(),
  },
  {
    scope: 'page',
    keys: ['?'],
    does: 'Show or hide this help',
    perform: (explorer) => explorer.toggleHelp(),
  },
  {
    scope: 'page',
    keys: ['h'],
    does: 'Go to the latest blocks',
    perform: ({ location }) => location.go({ page: { kind: 'home' } }),
  },
  {
    scope: 'page',
    keys: ['t'],
    does: 'Toggle dark and light',
    perform: ({ theme }) => theme.toggle(),
  },
  {
    scope: 'page',
    keys: ['y'],
    does: 'Copy the link of this view',
    perform: (explorer) => void explorer.copyLink(),
  },
  ...TABS.map(
    (tab, index): Shortcut => ({
      scope: 'run',
      keys: [`${index + 1}`],
      does: `Show the tab ${tab}`,
      perform: ({ location }) => location.set({ tab }, 'push'),
    }),
  ),
  // The keys of the debugger, in every view of a transaction: they open it.
  ...DEBUG_ACTIONS.map(
    ({ keys, name, act }): Shortcut => ({
      scope: 'run',
      keys,
      does: name,
      perform: (run) => {
        // Esc also closes other things, and opens no view.
        if (!keys.includes('Escape')) run.location.set({ tab: 'debug' }, 'push')
        act(shownRun(run).debug)
      },
    }),
  ),
]

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
