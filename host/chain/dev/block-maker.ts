import type { HeaderOverrides } from '../../evm/execute/header-overrides.ts'
import type { WrittenKeys } from '../../evm/state/written-keys.ts'
import type { AmendmentMaking, ForkBlockId, ForkChoice } from './dev-chain.ts'
import type { BlockRemoval } from './dev-memory.ts'

/** Settings of one block. */
export interface BlockSettings extends HeaderOverrides {
  /** Nanoseconds since 1970, later than the previous block. */
  readonly time: bigint
}

/** Makes and removes blocks, by the rules of this chain or of a forked chain. */
export interface BlockMaker {
  /** Height of the latest block. */
  readonly height: number
  /** Height of the chain's first block: 0, or the fork block. */
  readonly earliest: number
  /** Undefined if the chain is not a fork. */
  readonly fork: ForkBlockId | undefined
  /** Time of the latest block, in nanoseconds since 1970. */
  readonly time: bigint
  /** True if the configured halt height is reached and no further block may be made. */
  readonly isHalted: boolean
  /** Base fee of the next block without overrides, in wei per gas. */
  readonly nextBaseFee: bigint
  /**
   * Makes the next block from the pending transactions. Resolves with their number when the block is durable and
   * announced. Calls must not overlap.
   */
  make(settings: BlockSettings): Promise<number>
  /** Keys of the latest state. */
  readonly written: WrittenKeys
  /** Returns the number of amendments of the state of `height`. */
  amendments(height: number): number
  /** Amends the state of the latest block. Reads include the change when this resolves. */
  amend(make: AmendmentMaking): Promise<void>
  /**
   * Removes the blocks above a height with all their data, removes amendments of its state, and stores the record.
   * Atomic in case of a crash.
   */
  cut(cut: BlockRemoval): Promise<void>
  /**
   * Restarts the chain at another block of another chain.
   * @throws UNSUPPORTED if the chain is not a fork
   */
  refork(choice: ForkChoice): Promise<void>
}
