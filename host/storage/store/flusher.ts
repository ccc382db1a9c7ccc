import type { LmdbChainStore } from './chain/lmdb-chain-store.ts'
import type { StorageRetention } from './retention.ts'
import type { SplitState } from './state/split-state.ts'
import type { StorageParts } from './storage-parts.ts'

/**
 * Minimum heights the write-ahead log retains below the tables' height. The state commit reaches the disk on its own
 * schedule (at most 16 heights late) and catches up from here; a rollback replays from here to its target.
 */
const LEAST_RETAINED = 128
/** Heights that it retains if their records take no more than `RETAINED_BYTES`. */
const MOST_RETAINED = 1000
const RETAINED_BYTES = 512 * 1024 * 1024
/** Bytes of the log retained on chains whose blocks can be reverted, which limits how far back that goes. */
const REVERTIBLE_BYTES = 128 * 1024 * 1024

/** Writes records of the write-ahead log to the tables, one flush at a time. */
export class Flusher {
  readonly #parts: StorageParts
  readonly #chain: LmdbChainStore
  readonly #state: SplitState
  readonly #retention: StorageRetention
  readonly #isLate: boolean
  readonly #onFailure: (thrown: unknown) => void
  #height: number
  #running: Promise<void> | undefined

  /**
   * @param height - Latest height that every table has on disk.
   * @param isLate - True if records of the log may not be on disk yet.
   * @param onFailure - Called with the error of a flush that `start` began.
   */
  constructor(
    parts: StorageParts,
    chain: LmdbChainStore,
    state: SplitState,
    height: number,
    isLate: boolean,
    retention: StorageRetention,
    onFailure: (thrown: unknown) => void,
  ) {
    this.#parts = parts
    this.#chain = chain
    this.#state = state
    this.#height = height
    this.#isLate = isLate
    this.#retention = retention
    this.#onFailure = onFailure
  }

  /** Latest height that every table has on disk. */
  get height(): number {
    return this.#height
  }

  /** Lowers the height: the tables hold nothing above it any more. No flush may be running. */
  lower(height: number): void {
    this.#height = Math.min(this.#height, height)
  }

  /** Resolves when the running flush has ended, even if it failed. */
  async wait(): Promise<void> {
    await this.#running
  }

  /** Starts a flush unless one is running: two concurrent flushes would drop each other's rows. */
  start(): void {
    if (this.#running !== undefined) return
    this.#running = this.flush()
      .catch(this.#onFailure)
      .finally(() => {
        this.#running = undefined
      })
  }

  /**
   * Flushes. No other flush may be running. Every record that reads see is on disk, so no table gets ahead of the
   * log.
   */
  async flush(): Promise<void> {
    const { wal } = this.#parts
    const height = this.#chain.latest
    if (height > this.#height) {
      this.#state.seal()
      if (this.#isLate) await wal.sync()
      await this.#state.flush(wal, height)
      await this.#flushChain(height)
      this.#height = height
      if (!this.#isLate) wal.prune(height - MOST_RETAINED + 1)
      wal.prune(height - LEAST_RETAINED + 1, this.#isLate ? REVERTIBLE_BYTES : RETAINED_BYTES)
    }
    this.#retention.prune(this.#height)
  }

  /** Writes the blocks up to `height` on the store thread. */
  async #flushChain(height: number): Promise<void> {
    const { wal, thread, blocks, transactions, logs } = this.#parts
    const first = this.#chain.earliest
    const from = Math.min(blocks.latest, transactions.latest, logs.latest) + 1
    const records = []
    for (let next = Math.max(from, first); next <= height; next++) records.push(wal.location(next))
    await thread.run({ kind: 'chain', dirs: this.#chain.dirs, first, records })
    this.#chain.takeFlushed(height)
  }
}
