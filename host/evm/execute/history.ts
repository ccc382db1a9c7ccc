import { LockstepError } from '../../base/error.ts'
import type { Block, BlockHeader } from '../chain-types/block.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import type { StateFork } from '../state/state-fork.ts'
import type { StateView } from '../state/view.ts'

/** Finished blocks and their post-states, for execution. */
export interface History {
  header(height: number): BlockHeader | undefined
  block(height: number): Block | undefined
  receipts(height: number): readonly Receipt[] | undefined
  /** Returns the EVM state after block `height`. */
  view(height: number): StateView
  /** Returns the state before the transactions of block `height`, without its system calls. */
  before(height: number): StateView
  /**
   * Version of the stored states: changes whenever the state after some height, or its availability, may have
   * changed. Absent if states are edited, or parts of them are fetched on demand.
   */
  stateVersion?(): number
  /** Returns a fork of the state after block `height`. Its changes are not stored. */
  fork(height: number): StateFork
}

/**
 * Returns the header of a block that must exist.
 * @throws NOT_FOUND
 */
export function knownHeader(history: Pick<History, 'header'>, height: number): BlockHeader {
  const header = history.header(height)
  if (header === undefined) throw new LockstepError('NOT_FOUND', `block #${height} not found`)
  return header
}
