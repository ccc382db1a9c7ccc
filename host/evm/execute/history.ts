import { LockstepError } from '../../base/error.ts'
import type { Block, BlockHeader } from '../chain-types/block.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import type { StateFork } from '../state/state-fork.ts'
import type { StateView } from '../state/view.ts'

/** Finished blocks and the states after them, as execution reads them. */
export interface History {
  header(height: number): BlockHeader | undefined
  block(height: number): Block | undefined
  receipts(height: number): readonly Receipt[] | undefined
  /** EVM state after block `height`. */
  view(height: number): StateView
  /** The state before the transactions of block `height`, without the calls of the protocol. */
  before(height: number): StateView
  /**
   * Another number whenever the state after some height, or whether it is kept, may be another than before. Absent
   * where states are changed by hand, or their parts fetched when they are read.
   */
  edition?(): number
  /** The state after block `height`, to be changed apart from what is stored. */
  fork(height: number): StateFork
}

/**
 * The header of a block that must exist.
 * @throws NOT_FOUND
 */
export function knownHeader(history: Pick<History, 'header'>, height: number): BlockHeader {
  const header = history.header(height)
  if (header === undefined) throw new LockstepError('NOT_FOUND', `block #${height} not found`)
  return header
}
