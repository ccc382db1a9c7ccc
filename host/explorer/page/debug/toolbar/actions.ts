import type { Debugger } from '../../state/debug/debugger.ts'

/** Id of the input for a step number. */
export const GO_TO_FIELD = 'go-to-step'

/** The groups of the toolbar, in order: breakpoints, opcodes, source lines. */
export const ACTION_GROUPS = ['Run', 'Step', 'Line'] as const
type ActionGroup = (typeof ACTION_GROUPS)[number]

/** An action of a key, and usually of a button too. */
export interface DebugAction {
  readonly name: string
  /** On the button; undefined if the toolbar has none. */
  readonly sign?: string
  /** Its place in the toolbar; given with `sign`. */
  readonly group?: ActionGroup
  /** As in `KeyboardEvent.key`. */
  readonly keys: readonly [string, ...string[]]
  readonly act: (debug: Debugger) => void
}

export const DEBUG_ACTIONS: readonly DebugAction[] = [
  {
    name: 'Back to the last breakpoint',
    sign: '◀',
    group: 'Run',
    keys: ['C'],
    act: (debug) => void debug.continue('back'),
  },
  {
    name: 'Out of the frame, back',
    sign: '⇤',
    group: 'Step',
    keys: ['O', 'u'],
    act: (debug) => debug.move('out', 'back'),
  },
  {
    name: 'Step over, back',
    sign: '↶',
    group: 'Step',
    keys: ['N'],
    act: (debug) => debug.move('over', 'back'),
  },
  {
    name: 'Step into, back',
    sign: '←',
    group: 'Step',
    keys: ['I'],
    act: (debug) => debug.move('into', 'back'),
  },
  {
    name: 'Step into',
    sign: '→',
    group: 'Step',
    keys: ['i'],
    act: (debug) => debug.move('into', 'forward'),
  },
  {
    name: 'Step over',
    sign: '↷',
    group: 'Step',
    keys: ['n'],
    act: (debug) => debug.move('over', 'forward'),
  },
  {
    name: 'Out of the frame',
    sign: '⇥',
    group: 'Step',
    keys: ['o'],
    act: (debug) => debug.move('out', 'forward'),
  },
  {
    name: 'Run to the next breakpoint',
    sign: '▶',
    group: 'Run',
    keys: ['c'],
    act: (debug) => void debug.continue('forward'),
  },
  {
    name: 'Out of the function, back',
    sign: '⇱',
    group: 'Line',
    keys: ['R'],
    act: (debug) => void debug.stepLine('out', 'back'),
  },
  {
    name: 'Line over, back',
    sign: '↑',
    group: 'Line',
    keys: ['L'],
    act: (debug) => void debug.stepLine('over', 'back'),
  },
  {
    name: 'Line into, back',
    sign: '↖',
    group: 'Line',
    keys: ['E'],
    act: (debug) => void debug.stepLine('into', 'back'),
  },
  {
    name: 'Line into',
    sign: '↘',
    group: 'Line',
    keys: ['e'],
    act: (debug) => void debug.stepLine('into', 'forward'),
  },
  {
    name: 'Line over',
    sign: '↓',
    group: 'Line',
    keys: ['l'],
    act: (debug) => void debug.stepLine('over', 'forward'),
  },
  {
    name: 'Out of the function',
    sign: '⇲',
    group: 'Line',
    keys: ['r'],
    act: (debug) => void debug.stepLine('out', 'forward'),
  },
  {
    name: 'To the failure',
    sign: '✗',
    group: 'Run',
    keys: ['f'],
    act: (debug) => debug.goToFailure(),
  },
  { name: 'Toggle a breakpoint here', keys: ['b'], act: (debug) => debug.toggleHere() },
  {
    name: 'Go to a step by number',
    keys: ['g'],
    act: () => document.getElementById(GO_TO_FIELD)?.focus(),
  },
  { name: 'Find the step that wrote the top stack word', keys: ['w'], act: whoWroteTop },
  { name: 'Cancel the running task', keys: ['Escape'], act: (debug) => debug.cancel() },
]

/** In a list of words, or in memory, the key applies to the current item there. */
function whoWroteTop(debug: Debugger): void {
  const height = debug.run.step.peek()?.stack.length ?? 0
  if (height === 0) debug.answer.value = 'The stack is empty.'
  else void debug.goToWriter({ kind: 'stack', place: height - 1 })
}
