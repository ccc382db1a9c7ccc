import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import { IdleTimer, type PermittedLag } from '../../chain/consensus/idle-timer.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import { AddressIndex, type AddressIndexOptions } from './address-index.ts'
import { HashIndex } from './hash-index.ts'
import { IndexWorkerClient } from './index-worker-client.ts'
import type { IndexedBlock, IndexedTable, IndexTableOptions } from './indexed-table.ts'
import { type SourceBlock, sourceBlockOf, sourceBytes } from './source-block.ts'

/** Maximum blocks, and bytes of blocks, that are indexed together. */
const BATCH_BLOCKS = 64
const BATCH_BYTES = 8 * 1024 * 1024

export interface TransactionIndexOptions {
  readonly chain: ChainStore
  readonly heads: HeadFeed
  /** How far the index may lag while it is not queried; undefined keeps it up to date. */
  readonly lag?: PermittedLag | undefined
  /** Undefined if the table is off. */
  readonly hashes?: IndexTableOptions | undefined
  readonly addresses?: AddressIndexOptions | undefined
}

/**
 * Follows the chain and indexes its finished blocks. The main thread packs a block once for all tables, a worker
 * writes their rows. Removing a block from the chain also removes it from the tables.
 */
export class TransactionIndex {
  /** Undefined if the table is off. */
  readonly hashes: HashIndex | undefined
  readonly addresses: AddressIndex | undefined
  readonly #options: TransactionIndexOptions
  /** The table that needs no replay comes first: it does not wait for the other. */
  readonly #tables: readonly IndexedTable[]
  readonly #worker: IndexWorkerClient
  readonly #stopListening: () => void
  readonly #idle: IdleTimer | undefined
  /** The latest block, prepared in advance, so that an index that keeps up reads no block from the store. */
  #next: SourceBlock | undefined
  /** True while blocks are being removed from the chain, during which none is read. */
  #isCut = false
  #isClosing = false
  /** Up to this height everything is indexed or in progress. */
  #wanted = -1
  #running: Promise<void> | undefined

  constructor(options: TransactionIndexOptions) {
    const { chain, heads, lag, hashes, addresses } = options
    this.#options = options
    this.#worker = new IndexWorkerClient(
      { hashes: hashes?.dir, addresses: addresses?.dir },
      addresses && {
        modules: addresses.modules,
        viewBefore: (height) => addresses.history.before(height),
      },
    )
    this.hashes = hashes && new HashIndex(chain, this.#worker, hashes)
    this.addresses =
      addresses && new AddressIndex(chain, this.#worker, addresses, lag, () => this.#wake())
    this.#tables = [this.hashes, this.addresses].filter((table) => table !== undefined)
    for (const table of this.#tables) table.reconcile()
    this.#idle = lag && new IdleTimer(lag, () => this.#wake())
    const stopRemovals = heads.onRemoval((kept) => this.#beginRemoval(kept))
    const stopBlocks = heads.onBlock((executed) => {
      const { number } = executed.block.header
      const isNext = this.#running === undefined && this.#tables.some(({ next }) => next === number)
      if (isNext) this.#next = sourceBlockOf(executed, addresses?.rules)
      if (this.#idle === undefined) this.#wake()
      else this.#idle.noteBlock()
    })
    this.#stopListening = () => {
      stopBlocks()
      stopRemovals()
      this.#idle?.cancel()
    }
    // Starts with the existing blocks.
    if (this.#idle === undefined) this.#wake()
    else this.#idle.restart()
  }

  /** Resolves when all blocks are indexed, or indexing has stopped. */
  async settled(): Promise<void> {
    this.#wake()
    while (this.#running !== undefined) await this.#running
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#stopListening()
    await this.#running
    await this.#worker.close()
    for (const table of this.#tables) await table.close()
  }

  /** Indexes all available blocks. */
  #wake(): void {
    this.#idle?.cancel()
    this.#wanted = this.#options.chain.latest
    this.#begin()
  }

  #begin(): void {
    if (this.#running !== undefined || this.#due.length === 0) return
    this.#running = this.#catchUp().finally(() => {
      this.#running = undefined
      this.#begin()
    })
  }

  /** The tables to index next, all from the same height: the first one, and the others if it is not far behind. */
  get #due(): readonly IndexedTable[] {
    if (this.#isClosing || this.#isCut) return []
    const end = Math.min(this.#wanted, this.#options.chain.latest)
    const due = this.#tables.filter(({ failure, next }) => failure === undefined && next <= end)
    const first = due[0]?.next ?? 0
    if (end - first >= BATCH_BLOCKS) return due.slice(0, 1)
    return due.filter(({ next }) => next === first)
  }

  async #catchUp(): Promise<void> {
    for (let tables = this.#due; tables.length > 0; tables = this.#due) {
      await this.#step(tables)
      await yieldToEventLoop()
    }
  }

  /** Indexes the next blocks in tables that have the same next height. Never rejects: a table that fails stops. */
  async #step(tables: readonly IndexedTable[]): Promise<void> {
    const { chain, addresses } = this.#options
    const first = tables[0]?.next ?? 0
    const steady = tables.filter((table) => table.prepare(first))
    if (steady.length === 0) return
    const begun = steady.map((table) => ({ table, cuts: table.cuts }))
    let last: IndexedBlock | undefined
    let errors: readonly unknown[]
    const rules = steady.some(({ name }) => name === 'addresses') ? addresses?.rules : undefined
    try {
      const isSteady = () => begun.every(({ table, cuts }) => table.cuts === cuts)
      const blocks = await this.#collect(first, rules, isSteady)
      last = blocks.at(-1)
      if (last === undefined) return
      const names = steady.map(({ name }) => name)
      errors = await this.#worker.add(names, blocks, chain.earliest)
    } catch (thrown) {
      errors = steady.map(() => thrown)
    }
    for (const [i, { table, cuts }] of begun.entries()) {
      if (table.cuts === cuts) table.settle(first, last, errors[i])
    }
  }

  /** Returns the next blocks to index; none if blocks are removed meanwhile. */
  async #collect(
    first: number,
    rules: AddressIndexOptions['rules'] | undefined,
    isSteady: () => boolean,
  ): Promise<readonly SourceBlock[]> {
    const { chain } = this.#options
    const blocks: SourceBlock[] = []
    let bytes = 0
    for (let height = first; height <= chain.latest; height++) {
      if (blocks.length === BATCH_BLOCKS || bytes > BATCH_BYTES || this.#isClosing) break
      const block = this.#take(height, rules)
      blocks.push(block)
      bytes += sourceBytes(block)
      await yieldToEventLoop()
      if (!isSteady()) return []
    }
    return blocks
  }

  #take(height: number, rules: AddressIndexOptions['rules'] | undefined): SourceBlock {
    const next = this.#next
    this.#next = undefined
    const { chain } = this.#options
    if (next?.height === height && equalBytes(next.hash, chain.header(height)?.hash ?? EMPTY_BYTES))
      return next
    const block = chain.block(height)
    const receipts = chain.receipts(height)
    if (block === undefined || receipts === undefined) {
      throw new LockstepError('STORE_CORRUPTED', `block ${height} is missing below the index`)
    }
    return sourceBlockOf({ block, receipts }, rules)
  }

  /** Drops the blocks above a height, which are being removed: for reads at once, on disk after the removal. */
  #beginRemoval(kept: number): () => void {
    this.#isCut = true
    this.#next = undefined
    this.#wanted = Math.min(this.#wanted, kept)
    const cut = this.#tables.filter(({ height }) => height > kept || this.#running !== undefined)
    for (const table of cut) table.hide(kept)
    return () => {
      this.#isCut = false
      for (const table of cut) table.removeRows(kept)
      this.#begin()
    }
  }
}
