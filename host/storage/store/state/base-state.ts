import type { StateView } from '../../../evm/state/view.ts'

/** The initial state of a chain: that of another chain after a block, which is the first block here. */
export interface BaseState {
  readonly height: number
  /** Serves everything that no block of this chain has written. */
  readonly view: StateView
}
