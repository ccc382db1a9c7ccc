import { natural, naturals, oneOf, type Parameter, text } from './parameter.ts'

/** The tabs of a transaction, in their order. */
export const TABS = ['summary', 'calls', 'logs', 'changes', 'gas', 'debug'] as const
export type Tab = (typeof TABS)[number]

/**
 * What of a view its link holds beside the page. A link names a parameter by its key here, and only where its
 * value is not the fallback.
 */
export const PARAMETERS = {
  /** URL of the node that is asked; empty for the one that serves the page. */
  rpc: text(),
  /** A bundle itself, deflated and in base64url, where it is small enough for a link. */
  bundle: text(),
  /** Place of the transaction in a bundle of several. */
  index: natural(),
  tab: oneOf(TABS),
  /** The step that the debugger stands at. */
  step: natural(),
  /** The call that is selected: `CallNode.index`. */
  call: natural(),
  /** Calls that are open or closed in the tree otherwise than it opens. */
  toggled: naturals(),
  /** The frame, or line of source, that the flame graph is zoomed to. */
  zoom: text(),
  /** What the flame graph adds up by. */
  gasBy: oneOf(['call', 'line']),
  /** The pane of the debugger that is in front. */
  pane: text(),
  /** What a run of the debugger stops at, as `debug/breakpoint-text.ts` writes it. */
  breakpoints: text(),
  /** What is other in the transaction that is run again, as `debug/what-if/change-text.ts` writes it. */
  changes: text(),
  /** Which of both is stepped through. */
  side: oneOf(['original', 'edited']),
  /** The newest block of a list of blocks; the head of the chain where it is not named. */
  before: natural(),
}

export type ParameterName = keyof typeof PARAMETERS

export type ParameterValues = {
  readonly [Name in ParameterName]: (typeof PARAMETERS)[Name] extends Parameter<infer Value>
    ? Value
    : never
}
