import type { HeaderSettings } from '../../evm/execute/header-settings.ts'
import type { WrittenKeys } from '../../evm/state/written-keys.ts'
import type { AmendmentMaking, ForkChoice, ForkPlace } from './dev-chain.ts'
import type { Cut } from './dev-memory.ts'

/** What one block is made with. */
export interface BlockSettings extends HeaderSettings {
  /** Nanoseconds since 1970, above the time of the block before. */
  readonly time: bigint
}

/** What makes blocks, and removes them: by this chain's rules, or by those of a forked chain. */
export interface BlockMaker {
  /** Height of the newest block. */
  readonly height: number
  /** Height of the block that the chain begins with: 0, or that of the fork. */
  readonly earliest: number
  /** Undefined where the chain is no fork. */
  readonly fork: ForkPlace | undefined
  /** Time of the newest block, in nanoseconds since 1970. */
  readonly time: bigint
  /** True once no further block may be made: the configuration's last height is reached. */
  readonly isHalted: boolean
  /** Base fee of the block after the newest where no setting says otherwise, in wei per unit of gas. */
  readonly nextBaseFee: bigint
  /**
   * Makes the block after the newest of the transactions that wait; resolves with how many it holds, once it is durable
   * and announced. Never called before the last is done.
   */
  make(settings: BlockSettings): Promise<number>
  /** Keys of the newest state. */
  readonly written: WrittenKeys
  /** Number of amendments of the state of `height`. */
  amendments(height: number): number
  /** Changes the state of the newest block; reads see it when this resolves. */
  amend(make: AmendmentMaking): Promise<void>
  /**
   * Removes the blocks above a height with all that is kept of them, and amendments of its state, and keeps the record:
   * after a crash at any moment all of this, or nothing.
   */
  cut(cut: Cut): Promise<void>
  /**
   * Begins the chain at another block of another chain.
   * @throws UNSUPPORTED where it is no fork
   */
  refork(choice: ForkChoice): Promise<void>
}
