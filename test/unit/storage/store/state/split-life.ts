import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  type LmdbCommitter,
  openCommitter,
} from '../../../../../host/storage/commit/lmdb-committer.ts'
import type { NodeStorage } from '../../../../../host/storage/store/node-storage.ts'
import type { KeyValue } from '../../../../../host/storage/store/state/keyed-table.ts'
import type { StorageOptions } from '../../../../../host/storage/store/storage-options.ts'
import { openFilesBelow } from '../open-files.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'
import { codeHashes, type MODULES, splitBlock } from './split-blocks.ts'
import type { SplitModel } from './split-model.ts'
import { answersAt, readsOf } from './state-answers.ts'

/** The expected content of a chain, independent of how it is stored. */
export interface SplitChain {
  readonly seed: number
  readonly blocks: number
  readonly model: SplitModel
  /** The model's answers at each height. */
  readonly answers: readonly (readonly string[])[]
  /** App hash after each height in hex, recomputed from scratch. */
  readonly appHashes: readonly string[]
}

/** A range that is read one row at a time while blocks are added. */
interface HeldRange {
  readonly module: string
  readonly height: number
  readonly rows: Iterator<KeyValue, void>
  readonly seen: KeyValue[]
}

/** Distance between prune heights (PRUNE_STEP of retention.ts). */
const PRUNE_STEP = 16

export type ScenarioOptions = Partial<StorageOptions> &
  Pick<StorageOptions, 'keepRecent' | 'flushInterval'>

/** A home that receives the blocks of a chain and goes through restarts, crashes, flushes and pruning. */
export class SplitScenario {
  readonly #chain: SplitChain
  readonly #module: WebAssembly.Module
  readonly #held: HeldRange[] = []
  #options: ScenarioOptions
  #dir: string
  #storage: NodeStorage
  #committer: LmdbCommitter
  /** Upper bound of the prune height. */
  #mostFloor = 0

  /** Opens the home in `dir`, which may already contain the first blocks of the chain. */
  static async begin(
    chain: SplitChain,
    module: WebAssembly.Module,
    options: ScenarioOptions,
    dir: string,
  ): Promise<SplitScenario> {
    const storage = await openAt(dir, options)
    const committer = await openCommitter({ dir: join(dir, 'committer.db'), module })
    return new SplitScenario(chain, module, options, { dir, storage, committer })
  }

  private constructor(
    chain: SplitChain,
    module: WebAssembly.Module,
    options: ScenarioOptions,
    opened: { dir: string; storage: NodeStorage; committer: LmdbCommitter },
  ) {
    this.#chain = chain
    this.#module = module
    this.#options = options
    this.#dir = opened.dir
    this.#storage = opened.storage
    this.#committer = opened.committer
  }

  get storage(): NodeStorage {
    return this.#storage
  }

  get dir(): string {
    return this.#dir
  }

  get height(): number {
    return this.#storage.chain.latest
  }

  get isDone(): boolean {
    return this.height + 1 >= this.#chain.blocks
  }

  async append(): Promise<void> {
    if (this.isDone) return
    await this.#storage.append(splitBlock(this.#chain.seed, this.height + 1))
    this.#noteFloor()
  }

  /** Waits until everything is flushed and compacted, and checks the prune height. */
  async settle(): Promise<void> {
    await this.#storage.settle()
    const { keepRecent } = this.#options
    if (keepRecent === 0) return
    expect(this.#storage.state.earliest).toBeGreaterThan(this.height - keepRecent + 1 - PRUNE_STEP)
  }

  /** Settles while blocks are added. */
  async settleWhileAppending(): Promise<void> {
    const settled = this.#storage.settle()
    for (let i = 0; i < 3; i++) {
      await this.append()
      this.expectAnswers([this.#storage.state.earliest, this.height])
    }
    await settled
    this.expectAnswers([this.#storage.state.earliest, this.height])
  }

  /** Closes the storage and opens it again with other options. */
  async reopen(options: ScenarioOptions): Promise<void> {
    const { height } = this
    await this.close()
    await this.#open(options)
    expect(this.height).toBe(height)
    expect(this.#storage.startup.replayed).toBeUndefined()
  }

  /**
   * Continues on a copy of the files taken while the storage is open, after appending up to `blocks` blocks that only
   * the write-ahead log holds. No flush may run meanwhile: the copy would be a state that the disk never had.
   */
  async crash(blocks: number, options: ScenarioOptions): Promise<void> {
    await this.settle()
    const settled = this.height
    const most = Math.min(blocks, this.#options.flushInterval - 1)
    for (let i = 0; i < most; i++) await this.append()
    const { height } = this
    const copy = temporaryDir()
    cpSync(this.#dir, copy, { recursive: true })
    await this.close()
    rmSync(this.#dir, { recursive: true })
    this.#dir = copy
    await this.#open(options)
    expect(this.height).toBe(height)
    const replayed = height > settled ? { from: settled + 1, to: height } : undefined
    expect(this.#storage.startup.replayed).toEqual(replayed)
  }

  async close(): Promise<void> {
    for (const { rows } of this.#held.splice(0)) rows.return?.()
    await this.#storage.close()
    await this.#committer.close()
    expect(openFilesBelow(this.#dir)).toEqual([])
  }

  /** Opens a range at the latest height, to be read while blocks are added. */
  openRange(module: (typeof MODULES)[number]): void {
    const { height } = this
    const rows = this.#storage.state.module(module).range({ height })[Symbol.iterator]()
    this.#held.push({ module, height, rows, seen: [] })
  }

  /** Reads one row of each open range. A range that ends must have returned all rows of its height. */
  readOpenRanges(): void {
    for (const held of this.#held.splice(0)) {
      if (held.height < this.#storage.state.earliest) {
        held.rows.return?.()
        continue
      }
      const { value } = held.rows.next()
      if (value !== undefined) {
        held.seen.push(value)
        this.#held.push(held)
        continue
      }
      const { module, height, seen } = held
      expect(seen, `${module} at ${height}`).toEqual(this.#chain.model.range(module, { height }))
    }
  }

  /** Compares all answers at the heights that are retained with the model. */
  expectAnswers(heights: Iterable<number>): void {
    const { state } = this.#storage
    expect([state.latest, this.#storage.chain.latest]).toEqual([this.height, this.height])
    expect(state.earliest).toBeLessThanOrEqual(this.#mostFloor)
    const reads = readsOf(state)
    for (const height of heights) {
      if (height < state.earliest || height > state.latest) continue
      const hashes = codeHashes(this.#chain.seed, height)
      expect(answersAt(reads, height, hashes), `height ${height}`).toEqual(
        this.#chain.answers[height],
      )
    }
  }

  /** Compares every retained height. */
  expectAll(): void {
    this.expectAnswers(Array.from({ length: this.height + 1 }, (_, height) => height))
  }

  /** Checks that every read below the prune height and above the tip is refused with its height and the bounds. */
  expectBounds(): void {
    const { earliest, latest } = this.#storage.state
    for (const requested of [latest + 1, latest + 1000]) {
      const message = `requested height ${requested} is not yet available; safe latest is ${latest}`
      const data = { requested, earliest, latest }
      this.#expectRefusals(requested, { code: 'NOT_FOUND', message, data })
    }
    for (const requested of new Set([earliest - 1, Math.floor(earliest / 2), 0])) {
      if (requested < 0 || requested >= earliest) continue
      const message = `requested height ${requested} has been pruned; earliest available is ${earliest}`
      const data = { requested, earliest, latest }
      this.#expectRefusals(requested, { code: 'STATE_PRUNED', message, data })
    }
  }

  /** Feeds the changesets of the write-ahead log to the state commit and compares its app hashes. */
  async commit(): Promise<void> {
    for (const changeset of this.#storage.changesets(this.#committer.version + 1)) {
      const staged = await this.#committer.stage(changeset)
      await this.#committer.commit()
      const { height } = changeset
      expect(Buffer.from(staged).toString('hex'), `app hash of ${height}`).toBe(
        this.#chain.appHashes[height],
      )
    }
    expect(this.#committer.version).toBe(this.height)
  }

  async #open(options: ScenarioOptions): Promise<void> {
    this.#options = options
    this.#storage = await openAt(this.#dir, options)
    this.#noteFloor()
    const dir = join(this.#dir, 'committer.db')
    this.#committer = await openCommitter({ dir, module: this.#module })
  }

  #noteFloor(): void {
    const { keepRecent } = this.#options
    if (keepRecent > 0) this.#mostFloor = Math.max(this.#mostFloor, this.height - keepRecent + 1)
  }

  #expectRefusals(height: number, error: object): void {
    const { state } = this.#storage
    const key = Uint8Array.of(1)
    const store = state.module('bank')
    const refused = expect.objectContaining(error)
    expect(() => state.view(height)).toThrow(refused)
    expect(() => state.legacy(key, height)).toThrow(refused)
    expect(() => store.get(key, height)).toThrow(refused)
    expect(() => store.has(key, height)).toThrow(refused)
    expect(() => [...store.range({ height })]).toThrow(refused)
    expect(() => [...store.range({ height, reverse: true })]).toThrow(refused)
  }
}
