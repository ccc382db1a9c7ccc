import type { AccountKey } from '../../evm/chain-types/account-key.ts'
import type { StateDiff } from '../../evm/engine/state-diff.ts'
import type { UpcomingBlock } from '../../evm/execute/pending-block.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'
import type { WrittenKeys } from '../../evm/state/written-keys.ts'

/** Blocks that are made by hand. */
export interface MineRequest {
  /** Number of blocks; 0 makes none. */
  readonly blocks: number
  /** Seconds from each of these blocks to the next; as the clock has it where nothing sets it. */
  readonly interval?: number | undefined
  /** Time of the first of them, in seconds since 1970. */
  readonly timestamp?: number | undefined
  /** Aborted when nobody waits for them any more: those that are made stay, no more follow. */
  readonly signal?: AbortSignal | undefined
}

/** The chain's clock. Times are seconds since 1970, durations seconds. */
export interface DevTime {
  /** The chain's time, in seconds since 1970. */
  readonly now: number
  /** The chain's time less the machine's, in seconds. */
  readonly offset: number
  /** Moves the clock on for good; returns the offset after it. */
  increase(seconds: number): number
  /** Sets the clock, forth or back; returns the offset after it. Blocks still follow those before. */
  set(timestamp: number): number
  /**
   * Sets the time of the next block; the clock goes on from there.
   * @throws INVALID_ARGUMENT for a time that is not above that of the newest block
   */
  setNext(timestamp: number): void
  /** Has each block follow the one before by so many seconds, whatever the clock says. */
  setBlockInterval(seconds: number): void
  /** Ends that; false where there was none. */
  removeBlockInterval(): boolean
}

/** Settings of blocks to come. The next block alone has what is "of the next block"; the others stay. */
export interface DevSettings {
  /** Base fee of the next block, in wei per unit of gas; the blocks after it follow from it. */
  baseFee: bigint | undefined
  /** Of the next block, 32 bytes. */
  prevRandao: Uint8Array | undefined
  /** Stays; 20 bytes. Undefined: the chain's own. */
  coinbase: Uint8Array | undefined
  /** Stays. Undefined: the chain's own. */
  gasLimit: bigint | undefined
  /** Stays: lowest tip that is taken into the pool, in wei per unit of gas. */
  minGasPrice: bigint
}

/** Transactions that wait, as a developer takes them out. */
export interface DevPool {
  /** False where the transaction does not wait. */
  drop(hash: Uint8Array): boolean
  /** Number of transactions dropped. */
  dropAll(): number
  dropOf(sender: Uint8Array): number
}

/** Accounts that the node signs for, and those that it lets act without a signature. Addresses have 20 bytes. */
export interface DevAccounts {
  /** Accounts with a key, in their order. */
  readonly addresses: readonly Uint8Array[]
  keyOf(address: Uint8Array): AccountKey | undefined
  add(key: AccountKey): void
  readonly impersonated: readonly Uint8Array[]
  impersonate(address: Uint8Array): void
  /** False where it was not impersonated. */
  stopImpersonating(address: Uint8Array): boolean
  /** True: every address may act. */
  autoImpersonate: boolean
  /** True where the address may act without a signature. */
  mayAct(address: Uint8Array): boolean
  /** Does what an account asks for one after another, in the order of the calls: so are its nonces given. */
  inOrder<Result>(address: Uint8Array, work: () => Promise<Result>): Promise<Result>
}

/** A forked chain's place, as it is chosen again. */
export interface ForkChoice {
  readonly url: string
  /** Undefined: the newest block. */
  readonly block: number | undefined
}

/** Makes the changes of an amendment from the newest state; no block comes between. */
export type AmendmentMaking = (view: AsyncStateView) => StateDiff | Promise<StateDiff>

/** The block that a forked chain has begun with. */
export interface ForkPlace {
  readonly url: string
  readonly block: number
  readonly hash: Uint8Array
}

/** Milliseconds from block to block: always the same, or any from the least to the most; 0: none is made by the clock. */
export type IntervalMs = number | readonly [least: number, most: number]

/**
 * A chain that a developer drives. Calls that change the chain run one after another, in the order in which they were
 * made; each resolves once what it did is what reads see.
 */
export interface DevChain {
  /** Makes blocks at once, with the transactions that wait; returns the heights of the first and the last. */
  mine(request: MineRequest): Promise<{ readonly first: number; readonly last: number }>
  /** True: each transaction gets its block at once. */
  automine: boolean
  /** Setting it begins to count anew. */
  intervalMs: IntervalMs
  readonly time: DevTime
  readonly next: DevSettings
  /** What a block made now would have. */
  readonly upcoming: UpcomingBlock
  readonly pool: DevPool
  readonly accounts: DevAccounts
  /**
   * Changes the state of the newest block: reads of `latest` see it at once, the next block begins with it. The change
   * is made in its turn, from the state as it is then: it holds whole account records, which a block would change.
   */
  amend(make: AmendmentMaking): Promise<void>
  /** Keeps where the chain stands, and returns by what name: 1 is the first. */
  snapshot(): Promise<bigint>
  /** Goes back to a snapshot, and forgets it and those after it; false where there is none of this name. */
  revert(id: bigint): Promise<boolean>
  /** Removes the newest `blocks` blocks. */
  rollback(blocks: number): Promise<void>
  /** Goes back to the first block and forgets all settings; on a fork, begins with `fork` where it is given. */
  reset(fork?: ForkChoice): Promise<void>
  /**
   * Calls the listener after the newest state has been changed by hand, and once the chain was taken back; returns how to
   * stop. Blocks that are removed are told of by the chain's `HeadFeed`.
   */
  onAmend(listener: () => void): () => void
  /** The chain that this one has begun with; undefined where it is no fork. */
  readonly fork:
    | { readonly url: string; readonly block: number; readonly hash: Uint8Array }
    | undefined
  /** Keys of the newest state. */
  readonly written: WrittenKeys
  /** False: the log says nothing of the transactions that are sent, nor of what contracts log with console.log. */
  isLogging: boolean
  /** Tells this run of this chain from others: random, 32 bytes, new after a reset. */
  readonly instanceId: Uint8Array
}
