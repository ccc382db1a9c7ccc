import type { IndexBlock } from './index-block.ts'
import type { LatestIndexed } from './index-store.ts'

/** Blocks removed from the chain, whose rows must be deleted. */
export interface IndexRemoval {
  readonly blocks: readonly IndexBlock[]
  /** Latest remaining block. */
  readonly newest: LatestIndexed
}

export interface IndexWork {
  /** Processed first. */
  readonly removed: IndexRemoval | undefined
  /** Empty in the last message, after which the thread closes its store. */
  readonly blocks: readonly IndexBlock[]
  /** Rows of sections that end below this height are deleted. */
  readonly pruneHeight: number
  readonly isLast: boolean
}
