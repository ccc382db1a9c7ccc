import { DEBUG_SHORTCUTS } from '../debug/toolbar/debug-shortcuts.ts'
import { TABS } from '../view/parameters.ts'
import type { Shortcut } from './shortcut.ts'

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
  ...DEBUG_SHORTCUTS,
]
