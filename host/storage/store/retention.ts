import { BLOCK_HASH_COUNT } from '../../evm/state/view.ts'
import { BackgroundSteps } from './background-steps.ts'
import type { LmdbChainStore } from './chain/lmdb-chain-store.ts'
import type { SharedFiles } from './state/shared-files.ts'
import type { SplitState } from './state/split-state.ts'
import type { StorageOptions } from './storage-options.ts'
import type { WriteAheadLog } from './wal/write-ahead-log.ts'

/** A prune height is raised in steps, because each is a synced write in every database. */
const PRUNE_STEP = 16

/** A raised lowest height that other threads will receive with the list of files after this one. */
interface RaisedHeight {
  readonly pruneHeight: number
  readonly told: number
}

type RetentionOptions = Pick<StorageOptions, 'keepRecent' | 'pruneIntervalMs' | 'retainBlocks'>

/** Raises the lowest retained heights, and removes the blocks below them in the background. */
export class StorageRetention {
  readonly #options: RetentionOptions
  readonly #wal: WriteAheadLog
  readonly #state: SplitState
  readonly #chain: LmdbChainStore
  /** Tracks what other threads were sent; absent if none reads. */
  readonly #shared: SharedFiles | undefined
  readonly #removal: BackgroundSteps
  /** When the state was last pruned, on the monotonic clock. */
  #prunedAt = Number.NEGATIVE_INFINITY
  #raised: RaisedHeight | undefined
  /** No thread serves the blocks below it any more. */
  #removable = 0

  /** @param onFailure - Called with errors in the background. */
  constructor(
    options: RetentionOptions,
    wal: WriteAheadLog,
    state: SplitState,
    chain: LmdbChainStore,
    shared: SharedFiles | undefined,
    onFailure: (thrown: unknown) => void,
  ) {
    this.#options = options
    this.#wal = wal
    this.#state = state
    this.#chain = chain
    this.#shared = shared
    this.#removal = new BackgroundSteps(onFailure)
  }

  /** @param flushed - Latest height that every table has on disk. */
  prune(flushed: number): void {
    this.#pruneState(flushed)
    this.#pruneChain(flushed)
  }

  /** Resolves when nothing is being removed. */
  wait(): Promise<void> {
    return this.#removal.wait()
  }

  /** Stops the removal; resolves when it has stopped. */
  stop(): Promise<void> {
    return this.#removal.stop()
  }

  /**
   * Raises the prune height of the state. It is written to the write-ahead log first: both members follow that one
   * write, at any later time. Compactions remove the rows.
   */
  #pruneState(flushed: number): void {
    const { keepRecent, pruneIntervalMs = 0 } = this.#options
    if (keepRecent === 0) return
    const pruneHeight = flushed - keepRecent + 1
    if (pruneHeight < this.#state.earliest + PRUNE_STEP) return
    const now = performance.now()
    if (now - this.#prunedAt < pruneIntervalMs) return
    this.#prunedAt = now
    this.#wal.raisePruneHeight(pruneHeight)
    this.#state.raise(pruneHeight)
  }

  /**
   * Raises the prune height of the blocks. Executing the oldest block with retained state takes that block and the
   * hashes of the 256 before it.
   */
  #pruneChain(flushed: number): void {
    const chain = this.#chain
    const { retainBlocks } = this.#options
    if (retainBlocks === 0) return
    const replayed = this.#state.earliest + 1
    const pruneHeight = Math.min(flushed - retainBlocks + 1, replayed - BLOCK_HASH_COUNT)
    if (pruneHeight >= chain.earliest + PRUNE_STEP) chain.raise(pruneHeight)
    this.#passRaised()
    const removable = this.#removable
    if (removable > 0) this.#removal.start(() => chain.removal(removable))
  }

  /**
   * Raises the removable height only after all threads know it: others would look for removed blocks and report them
   * as missing.
   */
  #passRaised(): void {
    const { earliest } = this.#chain
    if (this.#raised === undefined && earliest > this.#removable) {
      this.#raised = { pruneHeight: earliest, told: this.#shared?.latestList ?? 0 }
    }
    const raised = this.#raised
    if (raised === undefined || this.#shared?.isPast(raised.told) === false) return
    this.#removable = raised.pruneHeight
    this.#raised = undefined
  }
}
