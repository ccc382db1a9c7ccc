import type { RunShortcut } from '../../keyboard/shortcut.ts'
import { shownRun } from '../what-if/what-if-run.ts'
import { DEBUG_ACTIONS } from './actions.ts'

/** What the keys of the debugger do, wherever in a transaction one is: they lead to it. */
export const DEBUG_SHORTCUTS: readonly RunShortcut[] = DEBUG_ACTIONS.map(({ keys, name, act }) => ({
  scope: 'run',
  keys,
  does: name,
  perform: (run) => {
    // Esc closes much else, and leads nowhere
    if (!keys.includes('Escape')) run.location.set({ tab: 'debug' }, 'push')
    act(shownRun(run).debug)
  },
}))
