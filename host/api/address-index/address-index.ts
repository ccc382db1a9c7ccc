import { rmSync } from 'node:fs'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import { IdleTimer, type PermittedLag } from '../../chain/consensus/idle-timer.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { ChainRules } from '../../evm/execute/chain-rules.ts'
import type { History } from '../../evm/execute/history.ts'
import type { AddressRowPosition } from '../../storage/store/address/address-rows.ts'
import {
  type AddressRange,
  AddressStore,
  type AddressTransaction,
  type ContractCreation,
} from '../../storage/store/address/address-store.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import type { StateStore } from '../../storage/store/state/state-store.ts'
import { AddressIndexWorker } from './index-thread.ts'
import { type SourceBlock, sourceBlockOf, sourceBytes } from './source-block.ts'

/** Maximum blocks, and bytes of blocks, written in one transaction. */
const BATCH_BLOCKS = 64
const BATCH_BYTES = 8 * 1024 * 1024

/** Interval of progress reports in milliseconds. */
const REPORT_MS = 5_000

/** The first height that can be indexed: the genesis block has no transactions. */
const FIRST = 1

export interface IndexedHeights {
  /** Highest indexed height. */
  readonly height: number
  /** Latest height of the chain. */
  readonly latest: number
}

export interface AddressIndexOptions {
  readonly dir: string
  readonly chain: ChainStore
  readonly state: Pick<StateStore, 'evmWholeFrom'>
  readonly history: Pick<History, 'before'>
  readonly rules: Pick<ChainRules, 'envOf' | 'systemCallsOf'>
  readonly heads: HeadFeed
  readonly modules: EngineModules
  /** How far the index may lag while it is not queried; undefined keeps it up to date. */
  readonly lag?: PermittedLag | undefined
  /**
   * Called every few seconds while the index catches up with the chain, for example when enabled late, and when it
   * has.
   */
  readonly onProgress: (heights: IndexedHeights) => void
  /** Called if the index was damaged or has a gap, and is rebuilt. */
  readonly onDropped: (reason: string) => void
  /** Called if indexing stops until the node is restarted. */
  readonly onFailure: (error: unknown) => void
}

interface Waiting {
  readonly height: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Finds transactions by participating address, including addresses called only from code, by sender and nonce, and by
 * created contract. A worker replays finished blocks behind the chain; the main thread sends them and answers state
 * reads. Removing a block from the chain also removes it from the index.
 */
export class AddressIndex {
  readonly #options: AddressIndexOptions
  readonly #store: AddressStore
  readonly #thread: AddressIndexWorker
  readonly #stopListening: () => void
  readonly #lull: IdleTimer | undefined
  /** Highest and lowest height on disk that belong to this chain; -1 if there is none. */
  #height: number
  #earliest: number
  /** The latest block, prepared in advance, so that an index that keeps up reads no block from the store. */
  #next: SourceBlock | undefined
  /** The last block sent to the worker. */
  #last: readonly [height: number, hash: Uint8Array] | undefined
  /** Number of times that blocks were removed from the chain. Earlier results are then invalid. */
  #cuts = 0
  readonly #waiting = new Set<Waiting>()
  #failure: unknown
  #isClosing = false
  /** Up to this height everything is indexed or in progress. */
  #wanted = -1
  #running: Promise<void> | undefined
  #isBehind = false
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(options: AddressIndexOptions) {
    this.#options = options
    const { dir, modules, history, heads, lag, onDropped } = options
    this.#store = openStore(dir, onDropped)
    this.#height = this.#store.latest
    this.#earliest = this.#store.earliest
    this.#thread = new AddressIndexWorker(dir, modules, (height) => history.before(height))
    this.#lull = lag && new IdleTimer(lag, () => this.#wake())
    this.#reconcile()
    const stopRemovals = heads.onRemoval((kept) => () => this.#cut(kept))
    const stopBlocks = heads.onBlock((executed) => {
      const isNext =
        this.#running === undefined && executed.block.header.number === this.#height + 1
      if (isNext) this.#next = sourceBlockOf(executed, options.rules)
      if (this.#lull === undefined) this.#wake()
      else this.#lull.noteBlock()
    })
    this.#stopListening = () => {
      stopBlocks()
      stopRemovals()
      this.#lull?.cancel()
    }
    // Starts with the existing blocks.
    if (this.#lull === undefined) this.#wake()
    else this.#lull.restart()
  }

  /** Highest indexed height; -1 if there is none. */
  get height(): number {
    return this.#height
  }

  /** Lowest indexed height: below it, blocks or the states before them are pruned. -1 if there is none. */
  get earliest(): number {
    return this.#earliest <= FIRST && this.#earliest >= 0 ? 0 : this.#earliest
  }

  /**
   * Waits until a height is indexed; fails immediately if the index is far behind.
   * @throws SERVER_BUSY after so many milliseconds, with the indexed height; ENGINE_FAULT if indexing has stopped
   */
  async reach(height: number, milliseconds: number): Promise<void> {
    this.#reconcile()
    if (height < FIRST || height <= this.#height) return
    if (this.#failure !== undefined) throw this.#stopped()
    // Several batches take longer than any caller waits.
    if (height - this.#height > BATCH_BLOCKS) throw this.#tooFarBehind()
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void) => {
        stopTimer(timer)
        this.#waiting.delete(waiting)
        settle()
      }
      const waiting: Waiting = {
        height,
        resolve: () => end(resolve),
        reject: (error) => end(() => reject(error)),
      }
      const timer = startTimer(() => waiting.reject(this.#tooFarBehind()), milliseconds)
      this.#waiting.add(waiting)
      this.#wake()
    })
  }

  /** Returns the indexed transactions in which an address has one of the roles. */
  places(address: Uint8Array, roles: number, range: AddressRange): Iterable<AddressTransaction> {
    return this.#store.places(address, roles, { ...range, to: Math.min(range.to, this.#height) })
  }

  /** Returns the transaction with this sender and nonce. */
  byNonce(sender: Uint8Array, nonce: bigint): AddressRowPosition | undefined {
    return this.#store.byNonce(sender, nonce, this.#height)
  }

  /** Returns the latest creation of a contract. */
  creation(contract: Uint8Array): ContractCreation | undefined {
    return this.#store.creation(contract, this.#height)
  }

  /** Removes the blocks above a height: immediately for reads, and soon on disk. */
  #cut(height: number): void {
    this.#next = undefined
    if (height >= this.#height && this.#running === undefined) return
    this.#cuts++
    this.#height = Math.min(this.#height, height)
    if (this.#height < this.#earliest) {
      this.#height = -1
      this.#earliest = -1
    }
    this.#thread.cut(height).catch((error) => this.#fail(error))
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
    for (const { reject } of this.#waiting) reject(this.#stopped())
    await this.#thread.close()
    await this.#store.close()
  }

  /** Removes blocks that no longer belong to the chain: removed while the node was stopped, or from another chain. */
  #reconcile(): void {
    const { earliest } = this.#options.chain
    let height = this.#height
    // Pruned blocks cannot be compared.
    while (height >= FIRST && height >= earliest && !this.#isIndexed(height)) height--
    if (height < this.#height) this.#cut(height)
  }

  #isIndexed(height: number): boolean {
    const hash = this.#store.hashAt(height)
    return hash !== undefined && this.#isOfChain(height, hash)
  }

  #isOfChain(height: number, hash: Uint8Array): boolean {
    const header = this.#options.chain.header(height)
    return header !== undefined && equalBytes(header.hash, hash)
  }

  /** Indexes all available blocks. */
  #wake(): void {
    this.#lull?.cancel()
    this.#wanted = this.#options.chain.latest
    this.#begin()
  }

  #begin(): void {
    if (this.#running !== undefined || this.#isClosing || !this.#hasWork) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      this.#begin()
    })
  }

  get #hasWork(): boolean {
    return this.#height < Math.min(this.#wanted, this.#options.chain.latest)
  }

  /** Never rejects, because a failure would restart it immediately and forever. */
  async #run(): Promise<void> {
    try {
      await this.#catchUp()
    } catch (error) {
      // The store is unreadable, even for comparing its blocks with the chain.
      this.#fail(error)
    }
  }

  async #catchUp(): Promise<void> {
    while (!this.#isClosing && this.#hasWork) {
      this.#reconcile()
      this.#report()
      const cuts = this.#cuts
      const first = this.#first
      try {
        await this.#step()
      } catch (error) {
        // The blocks were removed or the states before them pruned: determine the next block again.
        const isGone = this.#last !== undefined && !this.#isOfChain(...this.#last)
        if (isGone || cuts !== this.#cuts || first !== this.#first) continue
        this.#fail(error)
        return
      }
      this.#report()
      await yieldToEventLoop()
    }
  }

  /** Indexes the next blocks. */
  async #step(): Promise<void> {
    const { chain, onDropped } = this.#options
    this.#last = undefined
    const blocks = await this.#collect()
    const first = blocks[0]
    const last = blocks.at(-1)
    if (first === undefined || last === undefined) return
    if (this.#height >= 0 && first.block.height > this.#height + 1) {
      onDropped(
        `the blocks above ${this.#height}, or the states before them, are pruned up to ${first.block.height - 1}`,
      )
      this.#cut(-1)
    }
    const cuts = this.#cuts
    const { height, hash } = last.block
    this.#last = [height, hash.slice()]
    const lowest = first.block.height
    await this.#thread.add(blocks, chain.earliest)
    if (cuts !== this.#cuts) return
    this.#store.refresh()
    if (this.#earliest < 0) this.#earliest = lowest
    this.#earliest = Math.max(this.#earliest, Math.min(chain.earliest, height))
    this.#height = height
    // Blocks may have been removed meanwhile without notice. Waiting callers must not take them as indexed.
    this.#reconcile()
    for (const one of this.#waiting) if (one.height <= this.#height) one.resolve()
  }

  /** The next height that can be indexed: its block and the state before it are available. */
  get #first(): number {
    const { chain, state } = this.#options
    return Math.max(this.#height + 1, chain.earliest, state.evmWholeFrom + 1, FIRST)
  }

  /** Returns the blocks to index next. */
  async #collect(): Promise<readonly SourceBlock[]> {
    const { chain } = this.#options
    const blocks: SourceBlock[] = []
    let bytes = 0
    const cuts = this.#cuts
    for (let height = this.#first; height <= chain.latest; height++) {
      if (blocks.length === BATCH_BLOCKS || bytes > BATCH_BYTES || this.#isClosing) break
      const block = this.#take(height)
      blocks.push(block)
      bytes += sourceBytes(block)
      await yieldToEventLoop()
      if (cuts !== this.#cuts) return []
    }
    return blocks
  }

  #take(height: number): SourceBlock {
    const next = this.#next
    this.#next = undefined
    if (next?.block.height === height) return next
    const { chain, rules } = this.#options
    const block = chain.block(height)
    const receipts = chain.receipts(height)
    if (block === undefined || receipts === undefined) {
      throw new LockstepError('STORE_CORRUPTED', `block ${height} is missing below the index`)
    }
    return sourceBlockOf({ block, receipts }, rules)
  }

  #report(): void {
    const { latest } = this.#options.chain
    const height = this.#height
    const isFar = latest - height > BATCH_BLOCKS
    const isDue = isFar && performance.now() - this.#reportedAt >= REPORT_MS
    const isThere = this.#isBehind && height >= latest
    if (!isDue && !isThere) return
    this.#isBehind = !isThere
    this.#reportedAt = performance.now()
    this.#options.onProgress({ height: Math.max(height, 0), latest })
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#isClosing = true
    for (const { reject } of this.#waiting) reject(this.#stopped())
    this.#options.onFailure(error)
  }

  #tooFarBehind(): LockstepError {
    const { latest } = this.#options.chain
    const height = this.#height
    return new LockstepError(
      'SERVER_BUSY',
      `the address index is being built: it has block ${Math.max(height, 0)} of ${latest}`,
      { data: { indexed: height, latest }, hint: 'try again later: the log reports the progress' },
    )
  }

  #stopped(): LockstepError {
    const reason = this.#failure === undefined ? 'the node stops' : messageOf(this.#failure)
    return new LockstepError(
      'ENGINE_FAULT',
      `the address index has stopped at block ${this.#height}: ${reason}`,
      { cause: this.#failure, hint: 'restart the node; report the error if it recurs' },
    )
  }
}

/** Opens the index; deletes a damaged one. */
function openStore(dir: string, onDropped: (reason: string) => void): AddressStore {
  try {
    return new AddressStore(dir)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError) || thrown.code !== 'STORE_CORRUPTED') throw thrown
    onDropped(thrown.message)
    rmSync(dir, { recursive: true, force: true })
    return new AddressStore(dir)
  }
}
