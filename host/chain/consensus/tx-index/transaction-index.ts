import { rmSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import { sha256 } from '../comet/sha256.ts'
import type { HeadFeed } from '../head-feed.ts'
import { type Lag, Lull } from '../lull.ts'
import { type IndexBlock, indexBlockOf, sizeOf } from './index-block.ts'
import { type IndexedPlace, KIND, type Kind } from './index-rows.ts'
import { IndexStore, NONE } from './index-store.ts'
import { IndexThread } from './index-thread.ts'

/** Blocks, and bytes of them, that are written in one transaction. */
const BATCH_BLOCKS = 64
const BATCH_BYTES = 8 * 1024 * 1024

/** Hashes that are compared between two turns of the event loop: about a millisecond. */
const PAUSE_HASHES = 1024

export interface TransactionIndexOptions {
  readonly dir: string
  readonly chain: ChainStore
  readonly heads: HeadFeed
  /** How far it may stay behind; it keeps up where this is undefined. */
  readonly lag?: Lag | undefined
  /** The index was made for another chain, or is damaged: it is made again. */
  readonly onDropped: (reason: string) => void
  /** Nothing more is indexed until the node starts again. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Finds transactions by their SHA-256, sender and recipient. Blocks are indexed behind the chain, on a thread:
 * one that is not indexed yet is searched itself.
 */
export class TransactionIndex {
  readonly #chain: ChainStore
  readonly #store: IndexStore
  readonly #thread: IndexThread
  readonly #onFailure: (error: unknown) => void
  readonly #stopListening: () => void
  readonly #lull: Lull | undefined
  /** The newest height on disk that is of this chain. */
  #indexed: number
  /** The newest height that the thread was handed, of this chain. */
  #handed: number
  /** Blocks that have left the chain, whose rows the thread has or will have. */
  #removed: IndexBlock[] = []
  /** Blocks are leaving the chain: none is read until they are gone. */
  #isCut = false
  /** Counts the times that they did: what was collected before is void. */
  #cuts = 0
  /** The newest block, before it is asked for: none needs be read again while the index keeps up. */
  #next: IndexBlock | undefined
  #isClosing = false
  /** Up to this height all is indexed, or about to be. */
  #wanted = -1
  #running: Promise<void> | undefined

  constructor({ dir, chain, heads, lag, onDropped, onFailure }: TransactionIndexOptions) {
    this.#chain = chain
    this.#store = openStore(dir, chain, onDropped)
    this.#indexed = this.#store.newest.height
    this.#handed = this.#indexed
    this.#thread = new IndexThread(dir)
    this.#onFailure = onFailure
    this.#lull = lag && new Lull(lag, () => this.#wake())
    const stopBlocks = heads.onBlock((executed) => {
      const { number } = executed.block.header
      const isNext = this.#running === undefined && number === this.#indexed + 1
      if (isNext) this.#next = indexBlockOf(executed)
      if (this.#lull === undefined) this.#wake()
      else this.#lull.pass()
    })
    const stopRemovals = heads.onRemoval((kept) => this.#cut(kept))
    this.#stopListening = () => {
      stopBlocks()
      stopRemovals()
      this.#lull?.end()
    }
    // What the chain has already
    if (this.#lull === undefined) this.#wake()
    else this.#lull.wait()
  }

  /** The newest height that is indexed; those above are searched block by block. */
  get height(): number {
    return this.#indexed
  }

  /** The transaction with this SHA-256. */
  async find(hash: Uint8Array): Promise<IndexedPlace | undefined> {
    const { earliest, latest } = this.#chain
    const indexed = this.#indexed
    for (const place of this.#store.places(KIND.HASH, hash, Math.max(earliest, 0), indexed)) {
      const raw = this.#chain.transaction(place.height, place.index)
      if (raw !== undefined && equalBytes(sha256(raw), hash)) return place
    }
    let compared = 0
    for (let height = Math.max(indexed + 1, earliest); height <= latest; height++) {
      const transactions = this.#chain.block(height)?.transactions ?? []
      for (const [index, raw] of transactions.entries()) {
        if (equalBytes(sha256(raw), hash)) return { height, index }
        if (++compared % PAUSE_HASHES === 0) await nextTurn()
      }
    }
    return undefined
  }

  /** Places of an address within from..to, as far as they are indexed. */
  places(kind: Kind, address: Uint8Array, from: number, to: number): Iterable<IndexedPlace> {
    const first = Math.max(from, this.#chain.earliest, 0)
    return this.#store.places(kind, address, first, Math.min(to, this.#indexed))
  }

  /** Resolves once all blocks up to the newest are indexed. */
  async settled(): Promise<void> {
    this.#wake()
    while (this.#running !== undefined) await this.#running
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#stopListening()
    await this.#running
    // Where that fails, the next opening makes the index again.
    if (this.#removed.length > 0) await this.#remove().catch(() => undefined)
    await this.#thread.close()
    await this.#store.close()
  }

  /** Forgets the blocks above a height, which leave the chain: from now on for reads, and soon on disk. */
  #cut(kept: number): () => void {
    this.#isCut = true
    this.#cuts++
    this.#next = undefined
    for (let height = kept + 1; height <= this.#handed; height++) {
      this.#removed.push(this.#take(height))
    }
    this.#handed = Math.min(this.#handed, kept)
    this.#indexed = Math.min(this.#indexed, kept)
    return () => {
      this.#isCut = false
      this.#begin()
    }
  }

  get #hasWork(): boolean {
    if (this.#isClosing || this.#isCut) return false
    return this.#removed.length > 0 || this.#indexed < Math.min(this.#wanted, this.#chain.latest)
  }

  /** Has all blocks that there are indexed. */
  #wake(): void {
    this.#lull?.end()
    this.#wanted = this.#chain.latest
    this.#begin()
  }

  #begin(): void {
    if (this.#running !== undefined || !this.#hasWork) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      this.#begin()
    })
  }

  async #run(): Promise<void> {
    try {
      while (this.#hasWork) {
        // Before anything is added: what comes in the place of a row may be the same row.
        if (this.#removed.length > 0) {
          await this.#remove()
          continue
        }
        const cuts = this.#cuts
        const blocks = await this.#collect()
        const last = blocks.at(-1)
        if (last === undefined || cuts !== this.#cuts) continue
        this.#handed = last.height
        await this.#thread.write(blocks, this.#chain.earliest)
        this.#store.refresh()
        // Some may have left the chain meanwhile.
        this.#indexed = this.#handed
      }
    } catch (error) {
      this.#isClosing = true
      this.#onFailure(error)
    }
  }

  async #remove(): Promise<void> {
    const blocks = this.#removed
    this.#removed = []
    const height = this.#indexed
    const hash = height < 0 ? undefined : this.#chain.header(height)?.hash
    const newest = hash === undefined ? NONE : { height, hash: hash.slice() }
    await this.#thread.remove({ blocks, newest })
    this.#store.refresh()
  }

  /** The blocks to be written next; given up where blocks leave the chain. */
  async #collect(): Promise<readonly IndexBlock[]> {
    const blocks: IndexBlock[] = []
    let bytes = 0
    const cuts = this.#cuts
    const first = Math.max(this.#indexed + 1, this.#chain.earliest, 0)
    for (let height = first; height <= this.#chain.latest; height++) {
      if (blocks.length === BATCH_BLOCKS || bytes > BATCH_BYTES || this.#isClosing) break
      if (this.#isCut || cuts !== this.#cuts) return []
      // Pruned meanwhile.
      if (height < this.#chain.earliest) continue
      const block = this.#take(height)
      blocks.push(block)
      bytes += sizeOf(block)
      await nextTurn()
    }
    return blocks
  }

  #take(height: number): IndexBlock {
    const next = this.#next
    this.#next = undefined
    if (next?.height === height) return next
    const block = this.#chain.block(height)
    const receipts = this.#chain.receipts(height)
    if (block === undefined || receipts === undefined) {
      throw new LockstepError('STORE_CORRUPTED', `block ${height} is missing below the index`)
    }
    return indexBlockOf({ block, receipts })
  }
}

/** Opens the index of this very chain; any other, and one that is damaged, is dropped. */
function openStore(
  dir: string,
  chain: ChainStore,
  onDropped: (reason: string) => void,
): IndexStore {
  let store: IndexStore
  try {
    store = new IndexStore(dir)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError) || thrown.code !== 'STORE_CORRUPTED') throw thrown
    onDropped(thrown.message)
    rmSync(dir, { recursive: true, force: true })
    store = new IndexStore(dir)
  }
  const { height, hash } = store.newest
  const header = height < 0 ? undefined : chain.header(height)
  // Below the blocks that are kept nothing can be compared, nor found.
  const isForeign = header === undefined ? height > chain.latest : !equalBytes(header.hash, hash)
  if (isForeign) {
    onDropped(`it ends with block ${height} of another chain`)
    store.clear()
  }
  return store
}
