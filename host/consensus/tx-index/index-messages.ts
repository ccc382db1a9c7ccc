import type { PlainError } from '../../base/plain-error.ts'
import type { IndexBlock } from './index-block.ts'

export interface IndexWork {
  /** Empty in the last message: the thread closes its store. */
  readonly blocks: readonly IndexBlock[]
  /** Rows of sections that end below this height go. */
  readonly pruneHeight: number
  readonly isLast: boolean
}

export interface IndexDone {
  readonly error?: PlainError
}
