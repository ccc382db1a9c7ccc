import type { StateDiff } from '../../evm/engine/state-diff.ts'
import type { PendingBlockOverrides } from '../../evm/execute/pending-block.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'
import type { WrittenKeys } from '../../evm/state/written-keys.ts'
import type { UnlockedAccounts } from './unlocked-accounts.ts'

/** A request to make blocks by hand. */
export interface MineRequest {
  /** Number of blocks, possibly 0. */
  readonly blocks: number
  /** Seconds between these blocks; the clock decides if undefined. */
  readonly interval?: number | undefined
  /** Time of the first block, in seconds since 1970. */
  readonly timestamp?: number | undefined
  /** True to give the blocks other hashes than removed blocks with the same times and contents. */
  readonly isReorganization?: boolean
  /** Aborts the request: blocks already made stay, and no more follow. */
  readonly signal?: AbortSignal | undefined
}

/** The chain's clock. Times are seconds since 1970, durations seconds. */
export interface DevTime {
  /** The chain's time, in seconds since 1970. */
  readonly now: number
  /** Offset of the chain's time from the machine's, in seconds. */
  readonly offset: number
  /** Advances the clock permanently and returns the new offset. */
  increase(seconds: number): number
  /** Sets the clock forward or back and returns the new offset. Block times still increase. */
  set(timestamp: number): number
  /**
   * Sets the time of the next block; the clock continues from there.
   * @throws INVALID_ARGUMENT if the time is before that of the latest block
   */
  setNext(timestamp: number): void
  /** Seconds between blocks, if set. */
  readonly blockInterval: number | undefined
  /** Makes each block follow the previous one by `seconds`, whatever the clock says. */
  setBlockInterval(seconds: number): void
  /** Removes the block interval; returns false if there was none. */
  removeBlockInterval(): boolean
}

/** Next-block overrides and lasting settings. */
export interface DevSettings {
  /** Base fee of the next block, in wei per gas; later base fees follow from it. */
  baseFee: bigint | undefined
  /** For the next block only, 32 bytes. */
  prevRandao: Uint8Array | undefined
  /** Lasting, 20 bytes; the chain's own if undefined. */
  coinbase: Uint8Array | undefined
  /** Lasting; the chain's own if undefined. */
  gasLimit: bigint | undefined
  /** Lasting: minimum tip accepted into the pool, in wei per gas. */
  minGasPrice: bigint
}

/** Removes pending transactions from the pool. */
export interface DevPool {
  /** Returns false if the transaction is not in the pool. */
  drop(hash: Uint8Array): boolean
  /** Returns the number of dropped transactions. */
  dropAll(): number
  dropOf(sender: Uint8Array): number
}

/** A new fork block for a forked chain. */
export interface ForkChoice {
  readonly url: string
  /** Undefined for the latest block. */
  readonly block: number | undefined
}

/** Returns the changes of an amendment, given the latest state. No block is made meanwhile. */
export type AmendmentMaking = (view: AsyncStateView) => StateDiff | Promise<StateDiff>

/** The fork block of a forked chain. */
export interface ForkBlockId {
  readonly url: string
  readonly block: number
  readonly hash: Uint8Array
}

/** Milliseconds between scheduled blocks: fixed, or random in a range; 0 disables the scheduler. */
export type IntervalMs = number | readonly [least: number, most: number]

/**
 * A chain that a developer controls. Calls that change it run one after another in call order. Each resolves when
 * reads see its effect.
 */
export interface DevChain {
  /** Makes blocks now from the pending transactions and returns the heights of the first and the last. */
  mine(request: MineRequest): Promise<{ readonly first: number; readonly last: number }>
  /** True to make a block for each transaction at once. Setting it makes no block of the pending ones. */
  automine: boolean
  /** Turns automining on or off. Turned on, it first makes blocks of the pending transactions. */
  setAutomine(isOn: boolean): Promise<void>
  /** Setting it restarts the interval. */
  intervalMs: IntervalMs
  readonly time: DevTime
  readonly next: DevSettings
  /** Header fields of a block made now. */
  readonly upcoming: PendingBlockOverrides
  readonly pool: DevPool
  readonly accounts: UnlockedAccounts
  /**
   * Amends the state of the latest block: reads of `latest` include the change at once, and the next block starts
   * from it. `make` runs in turn with blocks, because it returns whole account records, which a block would change.
   */
  amend(make: AmendmentMaking): Promise<void>
  /** Takes a snapshot and returns its id, starting with 1. */
  snapshot(): Promise<bigint>
  /** Reverts to a snapshot, and deletes it and later ones. Returns false if it does not exist. */
  revert(id: bigint): Promise<boolean>
  /** Removes the latest `blocks` blocks. */
  rollback(blocks: number): Promise<void>
  /** Returns to the first block and resets all settings. A forked chain restarts at `fork` if it is given. */
  reset(fork?: ForkChoice): Promise<void>
  /**
   * Calls the listener after the latest state was amended or the chain was reverted. Returns a function that removes
   * the listener. The chain's `HeadFeed` announces removed blocks.
   */
  onAmend(listener: () => void): () => void
  /** The forked chain; undefined if this chain is not a fork. */
  readonly fork:
    | { readonly url: string; readonly block: number; readonly hash: Uint8Array }
    | undefined
  /** Keys of the latest state. */
  readonly written: WrittenKeys
  /** False to mine a transaction that reverts and names no gas, in place of refusing it. */
  readonly throwsOnRevert: boolean
  /** Blocks by which `safe` is behind the latest block, and half of those by which `finalized` is. */
  readonly slotsInAnEpoch: number
  /** Order of pending transactions in a block. */
  readonly order: 'fees' | 'fifo'
  /** False to log neither sent transactions nor console.log output. */
  isLogging: boolean
  /** Identifies this run of the chain: 32 random bytes, renewed by a reset. */
  readonly instanceId: Uint8Array
}
