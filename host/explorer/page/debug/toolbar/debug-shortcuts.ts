import type { RunShortcut } from '../../keyboard/shortcut.ts'
import { shownRun } from '../what-if/what-if-run.ts'
import { DEBUG_ACTIONS } from './actions.ts'

/** The keys of the debugger, in every view of a transaction: they open it. */
export const DEBUG_SHORTCUTS: readonly RunShortcut[] = DEBUG_ACTIONS.map(({ keys, name, act }) => ({
  scope: 'run',
  keys,
  does: name,
  perform: (run) => {
    // Esc also closes other things, and opens no view.
    if (!keys.includes('Escape')) run.location.set({ tab: 'debug' }, 'push')
    act(shownRun(run).debug)
  },
}))
