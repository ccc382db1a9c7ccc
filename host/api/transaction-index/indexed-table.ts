import { rmSync } from 'node:fs'
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import type { IndexTableName } from './index-messages.ts'
import type { IndexWorkerClient } from './index-worker-client.ts'

/** The first height that can be indexed: the genesis block has no transactions. */
export const FIRST_INDEXED = 1

/** The last of the blocks that were indexed together. */
export interface IndexedBlock {
  readonly height: number
  readonly hash: Uint8Array
}

/** Rows on disk as the main thread reads them. */
export interface IndexStore {
  /** Latest and lowest indexed height; -1 if none is indexed. */
  readonly latest: number
  readonly earliest: number
  /** Returns the latest height up to `from` at which the rows match the chain; -1 if they must be rebuilt. */
  latestOf(from: number, isOfChain: (height: number, hash?: Uint8Array) => boolean): number
  /** Makes the worker's writes visible. */
  refresh(): void
  close(): Promise<void>
}

export interface IndexTableOptions {
  readonly dir: string
  /** Called if the table was damaged, has a gap or belongs to another chain. It is then rebuilt. */
  readonly onDropped: (reason: string) => void
  /** Called if indexing fails. It stops until the node restarts. */
  readonly onFailure: (error: unknown) => void
}

/** A table of the index on the main thread: how far it is, and what it must remove. */
export abstract class IndexedTable<Store extends IndexStore = IndexStore> {
  abstract readonly name: IndexTableName
  protected readonly store: Store
  protected readonly chain: ChainStore
  readonly #worker: IndexWorkerClient
  readonly #options: IndexTableOptions
  #height: number
  #cuts = 0
  #failure: unknown
  /** Height at which the last attempt began, if it failed. */
  #failedAt: number | undefined

  /** @param open opens the files, or throws STORE_CORRUPTED; they are then deleted */
  constructor(
    open: (dir: string) => Store,
    chain: ChainStore,
    worker: IndexWorkerClient,
    options: IndexTableOptions,
  ) {
    const { dir, onDropped } = options
    this.chain = chain
    this.#worker = worker
    this.#options = options
    try {
      this.store = open(dir)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'STORE_CORRUPTED') throw thrown
      onDropped(thrown.message)
      rmSync(dir, { recursive: true, force: true })
      this.store = open(dir)
    }
    this.#height = this.store.latest
  }

  /** The lowest height that can be indexed now. */
  protected abstract get first(): number

  /** Highest indexed height that belongs to this chain; -1 if there is none. */
  get height(): number {
    return this.#height
  }

  /** The next height to index. */
  get next(): number {
    return Math.max(this.#height + 1, this.first)
  }

  /** Number of times that blocks were removed. Results that were requested earlier are then invalid. */
  get cuts(): number {
    return this.#cuts
  }

  /** Undefined unless indexing has stopped. */
  get failure(): unknown {
    return this.#failure
  }

  /** Removes blocks that no longer belong to the chain: removed while the node was stopped, or from another chain. */
  reconcile(): void {
    const height = this.store.latestOf(this.#height, (at, hash) => this.#isOfChain(at, hash))
    if (height === this.#height) return
    if (height < 0) this.#drop(`it ends with block ${this.#height} of another chain`)
    else this.#cut(height)
  }

  /** Prepares to go on at a height. Returns false if it must go on elsewhere. */
  prepare(first: number): boolean {
    this.#attempt(() => {
      this.reconcile()
      // The latest blocks may have been removed since `first` was read, so only the height now reveals a gap.
      const { next } = this
      if (this.#height < 0 || next === this.#height + 1) return
      const blocks = `the blocks above ${this.#height}, or the states before them`
      this.#drop(`${blocks}, are pruned up to ${next - 1}`)
    })
    return this.#failure === undefined && this.next === first
  }

  /**
   * Takes the outcome of indexing the blocks from `first` to `last`: their rows are on disk, or there was an error. An
   * error is ignored if other blocks are due now, because these were removed or the states before them pruned. The
   * first one at a height is ignored too: the blocks may have been removed and made again meanwhile.
   */
  settle(first: number, last: IndexedBlock | undefined, error: unknown): void {
    this.#attempt(() => {
      if (error === undefined && last !== undefined) {
        this.#failedAt = undefined
        this.store.refresh()
        this.#height = last.height
        // Blocks may have been removed meanwhile without notice. Waiting callers must not take them as indexed.
        this.reconcile()
      } else if (
        this.next === first &&
        (last === undefined || this.#isOfChain(last.height, last.hash))
      ) {
        if (this.#failedAt === first) this.fail(error)
        this.#failedAt = first
      }
    })
  }

  /** Removes the blocks above a height for readers only. */
  hide(height: number): void {
    this.#cuts++
    this.#height = Math.min(this.#height, height)
    if (this.#height < this.store.earliest) this.#height = -1
  }

  /** Removes the rows of the blocks above a height, which are hidden. */
  removeRows(height: number): void {
    const hash = height < 0 ? undefined : this.chain.header(height)?.hash.slice()
    if (hash === undefined) this.hide(-1)
    this.#worker
      .cut(this.name, hash === undefined ? -1 : height, hash ?? EMPTY_BYTES)
      .catch((error) => this.fail(error))
  }

  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#options.onFailure(error)
  }

  close(): Promise<void> {
    return this.store.close()
  }

  #cut(height: number): void {
    this.hide(height)
    this.removeRows(height)
  }

  #drop(reason: string): void {
    this.#options.onDropped(reason)
    this.#cut(-1)
  }

  /** Returns true if the block is part of the chain. Pruned blocks cannot be compared. */
  #isOfChain(height: number, hash: Uint8Array | undefined): boolean {
    if (height < this.chain.earliest) return true
    const header = this.chain.header(height)
    return header !== undefined && hash !== undefined && equalBytes(header.hash, hash)
  }

  /** Unreadable files stop the table. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }
}
