import { rmSync } from 'node:fs'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import { sha256 } from '../comet/sha256.ts'
import type { HeadFeed } from '../head-feed.ts'
import { IdleTimer, type PermittedLag } from '../idle-timer.ts'
import { type IndexBlock, indexBlockOf, sizeOf } from './index-block.ts'
import { type IndexedPosition, ROW_KIND, type RowKind } from './index-rows.ts'
import { IndexStore, NOTHING_INDEXED } from './index-store.ts'
import { TransactionIndexThread } from './index-thread.ts'

/** Limits of blocks and their bytes per transaction. */
const BATCH_BLOCKS = 64
const BATCH_BYTES = 8 * 1024 * 1024

/** Hashes compared per event loop iteration: about a millisecond. */
const PAUSE_HASHES = 1024

export interface TransactionIndexOptions {
  readonly dir: string
  readonly chain: ChainStore
  readonly heads: HeadFeed
  /** Permitted lag behind the chain; none if undefined. */
  readonly lag?: PermittedLag | undefined
  /** Called if the index belongs to another chain or is damaged. It is then rebuilt. */
  readonly onDropped: (reason: string) => void
  /** Called if indexing fails. It stops until the node restarts. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Finds transactions by SHA-256, sender and recipient. A thread indexes blocks behind the chain; blocks not yet
 * indexed are searched directly.
 */
export class HashIndex {
  readonly #chain: ChainStore
  readonly #store: IndexStore
  readonly #thread: TransactionIndexThread
  readonly #onFailure: (error: unknown) => void
  readonly #stopListening: () => void
  readonly #lull: IdleTimer | undefined
  /** Latest height of this chain on disk. */
  #indexed: number
  /** Latest height of this chain that was passed to the thread. */
  #handed: number
  /** Removed blocks whose rows the thread must still delete. */
  #removed: IndexBlock[] = []
  /** True while blocks are being removed, during which none is read. */
  #isCut = false
  /** Number of removals: blocks collected before one are discarded. */
  #cuts = 0
  /** The latest block, kept so that an index without lag need not read it again. */
  #next: IndexBlock | undefined
  #isClosing = false
  /** Height up to which blocks must be indexed. */
  #wanted = -1
  #running: Promise<void> | undefined

  constructor({ dir, chain, heads, lag, onDropped, onFailure }: TransactionIndexOptions) {
    this.#chain = chain
    this.#store = openStore(dir, chain, onDropped)
    this.#indexed = this.#store.newest.height
    this.#handed = this.#indexed
    this.#thread = new TransactionIndexThread(dir)
    this.#onFailure = onFailure
    this.#lull = lag && new IdleTimer(lag, () => this.#wake())
    const stopBlocks = heads.onBlock((executed) => {
      const { number } = executed.block.header
      const isNext = this.#running === undefined && number === this.#indexed + 1
      if (isNext) this.#next = indexBlockOf(executed)
      if (this.#lull === undefined) this.#wake()
      else this.#lull.noteBlock()
    })
    const stopRemovals = heads.onRemoval((kept) => this.#cut(kept))
    this.#stopListening = () => {
      stopBlocks()
      stopRemovals()
      this.#lull?.cancel()
    }
    // Index the existing blocks
    if (this.#lull === undefined) this.#wake()
    else this.#lull.restart()
  }

  /** The latest indexed height. Later blocks are searched one by one. */
  get height(): number {
    return this.#indexed
  }

  /** Returns the position of the transaction with this SHA-256. */
  async find(hash: Uint8Array): Promise<IndexedPosition | undefined> {
    const { earliest, latest } = this.#chain
    const indexed = this.#indexed
    for (const place of this.#store.places(ROW_KIND.HASH, hash, Math.max(earliest, 0), indexed)) {
      const raw = this.#chain.transaction(place.height, place.index)
      if (raw !== undefined && equalBytes(sha256(raw), hash)) return place
    }
    let compared = 0
    for (let height = Math.max(indexed + 1, earliest); height <= latest; height++) {
      const transactions = this.#chain.block(height)?.transactions ?? []
      for (const [index, raw] of transactions.entries()) {
        if (equalBytes(sha256(raw), hash)) return { height, index }
        if (++compared % PAUSE_HASHES === 0) await yieldToEventLoop()
      }
    }
    return undefined
  }

  /** Returns the indexed positions of an address at heights `from` to `to`. */
  places(kind: RowKind, address: Uint8Array, from: number, to: number): Iterable<IndexedPosition> {
    const first = Math.max(from, this.#chain.earliest, 0)
    return this.#store.places(kind, address, first, Math.min(to, this.#indexed))
  }

  /** Resolves when all blocks up to the latest are indexed. */
  async settled(): Promise<void> {
    this.#wake()
    while (this.#running !== undefined) await this.#running
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#stopListening()
    await this.#running
    // If that fails, the next opening rebuilds the index.
    if (this.#removed.length > 0) await this.#remove().catch(() => undefined)
    await this.#thread.close()
    await this.#store.close()
  }

  /** Drops the blocks above a height, which are being removed: for reads at once, on disk soon after. */
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

  /** Starts indexing all existing blocks. */
  #wake(): void {
    this.#lull?.cancel()
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
        // Deletions come first: a new block may add the same row.
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
        // A removal may have lowered it meanwhile.
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
    const newest = hash === undefined ? NOTHING_INDEXED : { height, hash: hash.slice() }
    await this.#thread.remove({ blocks, newest })
    this.#store.refresh()
  }

  /** Returns the next blocks to index; none if blocks are removed meanwhile. */
  async #collect(): Promise<readonly IndexBlock[]> {
    const blocks: IndexBlock[] = []
    let bytes = 0
    const cuts = this.#cuts
    const first = Math.max(this.#indexed + 1, this.#chain.earliest, 0)
    for (let height = first; height <= this.#chain.latest; height++) {
      if (blocks.length === BATCH_BLOCKS || bytes > BATCH_BYTES || this.#isClosing) break
      if (this.#isCut || cuts !== this.#cuts) return []
      // It may have been pruned meanwhile.
      if (height < this.#chain.earliest) continue
      const block = this.#take(height)
      blocks.push(block)
      bytes += sizeOf(block)
      await yieldToEventLoop()
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

/** Opens the index of this chain. Drops a damaged one or one of another chain. */
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
  // Pruned blocks can neither be compared nor found.
  const isForeign = header === undefined ? height > chain.latest : !equalBytes(header.hash, hash)
  if (isForeign) {
    onDropped(`it ends with block ${height} of another chain`)
    store.clear()
  }
  return store
}
