import type { StateView } from '../../../evm/state/view.ts'

/** The state that a chain begins on: that of another chain after a block, which is the first one here. */
export interface BaseState {
  readonly height: number
  /** Answers for all that no block here has written. */
  readonly view: StateView
}
