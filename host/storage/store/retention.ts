import { BLOCK_HASHES } from '../../evm/state/view.ts'
import { BackgroundSteps } from './background-steps.ts'
import type { LmdbChainStore } from './chain/lmdb-chain-store.ts'
import type { SharedFiles } from './state/shared-files.ts'
import type { SplitState } from './state/split-state.ts'
import type { StorageOptions } from './storage-options.ts'
import type { WriteAheadLog } from './wal/write-ahead-log.ts'

/** A prune height is raised in steps, because each is a synced write in every database. */
const PRUNE_STEP = 16

/** A lowest height kept that other threads are going to be told, with the list of files after this one. */
interface RaisedHeight {
  readonly pruneHeight: number
  readonly told: number
}

type RetentionOptions = Pick<StorageOptions, 'keepRecent' | 'pruneIntervalMs' | 'retainBlocks'>

/** Raises the lowest heights that are kept, and has the blocks below them removed beside other work. */
export class Retention {
  readonly #options: RetentionOptions
  readonly #wal: WriteAheadLog
  readonly #state: SplitState
  readonly #chain: LmdbChainStore
  /** Tells what other threads have been told; absent where none reads. */
  readonly #shared: SharedFiles | undefined
  readonly #removal: BackgroundSteps
  /** When the state was pruned last, on the monotonic clock; long ago at the start. */
  #prunedAt = Number.NEGATIVE_INFINITY
  #raised: RaisedHeight | undefined
  /** No thread answers for the blocks below it. */
  #removable = 0

  /** @param onFailure told what failed in the background. */
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

  /** @param flushed newest height that every table holds on disk */
  prune(flushed: number): void {
    this.#pruneState(flushed)
    this.#pruneChain(flushed)
  }

  /** Resolves when nothing is being removed. */
  wait(): Promise<void> {
    return this.#removal.wait()
  }

  /** Resolves when nothing is removed any more. */
  stop(): Promise<void> {
    return this.#removal.stop()
  }

  /**
   * Raises the prune height of the state to the heights kept. It is written to the write-ahead log first:
   * that one write moves it for both members, whenever they follow. The rows go with compactions.
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
   * Raises the prune height of the blocks. To run the oldest block whose state is kept takes that block and
   * the hashes of the 256 before it.
   */
  #pruneChain(flushed: number): void {
    const chain = this.#chain
    const { retainBlocks } = this.#options
    if (retainBlocks === 0) return
    const replayed = this.#state.earliest + 1
    const pruneHeight = Math.min(flushed - retainBlocks + 1, replayed - BLOCK_HASHES)
    if (pruneHeight >= chain.earliest + PRUNE_STEP) chain.raise(pruneHeight)
    this.#passRaised()
    const removable = this.#removable
    if (removable > 0) this.#removal.start(() => chain.removal(removable))
  }

  /** A thread that has not heard of the lowest height yet would look for blocks below it, and answer that there are none. */
  #passRaised(): void {
    const { earliest } = this.#chain
    if (this.#raised === undefined && earliest > this.#removable) {
      this.#raised = { pruneHeight: earliest, told: this.#shared?.told ?? 0 }
    }
    const raised = this.#raised
    if (raised === undefined || this.#shared?.isPast(raised.told) === false) return
    this.#removable = raised.pruneHeight
    this.#raised = undefined
  }
}
