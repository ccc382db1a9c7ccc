import type { LmdbChainStore } from './chain/lmdb-chain-store.ts'
import type { Retention } from './retention.ts'
import type { SplitState } from './state/split-state.ts'
import type { StorageParts } from './storage-parts.ts'

/**
 * Heights the write-ahead log keeps behind the tables. The state commit reaches the disk on its own schedule
 * (at most 16 heights late) and catches up from here; a rollback goes on from here to its target.
 */
const LEAST_RETAINED = 128
/** Heights that it keeps where their records take no more than `RETAINED_BYTES`. */
const MOST_RETAINED = 1000
const RETAINED_BYTES = 512 * 1024 * 1024
/** Where blocks are removed again, what was done is taken back as far as this much of the log reaches. */
const REVERTIBLE_BYTES = 128 * 1024 * 1024

/** Writes what the write-ahead log holds to the tables behind it, one flush at a time. */
export class Flusher {
  readonly #parts: StorageParts
  readonly #chain: LmdbChainStore
  readonly #state: SplitState
  readonly #retention: Retention
  readonly #isLate: boolean
  readonly #onFailure: (thrown: unknown) => void
  #height: number
  #running: Promise<void> | undefined

  /**
   * @param height newest height that every table holds on disk.
   * @param isLate true where records of the log may not be on disk yet
   * @param onFailure told why a flush that was started has failed.
   */
  constructor(
    parts: StorageParts,
    chain: LmdbChainStore,
    state: SplitState,
    height: number,
    isLate: boolean,
    retention: Retention,
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

  /** Newest height that every table holds on disk. */
  get height(): number {
    return this.#height
  }

  /** Goes on from `height`: the tables hold nothing above it any more. Called while no flush runs. */
  lower(height: number): void {
    this.#height = Math.min(this.#height, height)
  }

  /** Resolves when the flush that runs has ended, whatever became of it. */
  async wait(): Promise<void> {
    await this.#running
  }

  /** Starts a flush unless one runs: two at a time would forget each other's rows. */
  start(): void {
    if (this.#running !== undefined) return
    this.#running = this.flush()
      .catch(this.#onFailure)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Flushes while none runs. Every record that reads see is on disk, so no table gets ahead of the log. */
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

  /** Has the blocks up to `height` written beside the chain's work. */
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
