import type { IndexBlock } from './index-block.ts'
import type { Newest } from './index-store.ts'

/** Blocks that have left the chain, whose rows go. */
export interface IndexRemoval {
  readonly blocks: readonly IndexBlock[]
  /** The newest block that stays. */
  readonly newest: Newest
}

export interface IndexWork {
  /** Goes first. */
  readonly removed: IndexRemoval | undefined
  /** Empty in the last message: the thread closes its store. */
  readonly blocks: readonly IndexBlock[]
  /** Rows of sections that end below this height go. */
  readonly pruneHeight: number
  readonly isLast: boolean
}
