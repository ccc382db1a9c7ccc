import { natural, naturals, oneOf, type ViewParameter, viewText } from './parameter.ts'

/** The tabs of a transaction, in order. */
export const TABS = ['summary', 'calls', 'logs', 'changes', 'gas', 'debug'] as const
export type Tab = (typeof TABS)[number]

/**
 * The state in a view's link beside the page. A link contains a parameter, under its key here, only if its value is
 * not the fallback.
 */
export const PARAMETERS = {
  /** URL of the node; empty for the one that serves the page. */
  rpc: viewText(),
  /** A deflated bundle in base64url, if it is small enough for a link. */
  bundle: viewText(),
  /** Index of the transaction in a bundle of several. */
  index: natural(),
  tab: oneOf(TABS),
  /** The current step of the debugger. */
  step: natural(),
  /** The selected call: `CallNode.index`. */
  call: natural(),
  /** Calls that are open or closed contrary to their initial state. */
  toggled: naturals(),
  /** The frame or source line that the flame graph is zoomed to. */
  zoom: viewText(),
  /** How the flame graph groups gas. */
  gasBy: oneOf(['call', 'function', 'line']),
  /** The front pane of the debugger. */
  pane: viewText(),
  /** The debugger's breakpoints, in the form of `state/debug/breakpoint-text.ts`. */
  breakpoints: viewText(),
  /** Expressions that the debugger watches, separated by semicolons. */
  watch: viewText(),
  /** The changes of the edited transaction, in the form of `state/debug/change-text.ts`. */
  changes: viewText(),
  /** The call of a call page, as changes of an empty one; empty before it runs. */
  with: viewText(),
  /** The block after which that call runs; the latest by default. */
  at: natural(),
  /** The run that the debugger shows. */
  side: oneOf(['original', 'edited']),
  /** The latest block of a block list; the head of the chain by default. */
  before: natural(),
  /** The latest block of a list of transactions; the head of the chain by default. */
  older: natural(),
  /** The transactions of lists: all, or those that failed. */
  show: oneOf(['all', 'failed']),
}

export type ParameterName = keyof typeof PARAMETERS

export type ParameterValues = {
  readonly [Name in ParameterName]: (typeof PARAMETERS)[Name] extends ViewParameter<infer Value>
    ? Value
    : never
}
