import { LockstepError } from '../../../base/error.ts'
import type { GenesisRecord } from '../../../evm/chain-types/genesis-record.ts'
import { type HeaderOverrides, NO_HEADER_OVERRIDES } from '../../../evm/execute/header-overrides.ts'
import { decodeHeight, encodeHeight } from '../../../storage/store/codec/ordered-key.ts'
import {
  LmdbEnv,
  type LmdbReads,
  type LmdbTable,
  type RowRange,
} from '../../../storage/store/lmdb/lmdb-env.ts'
import { takeUnsyncedRows, UnsyncedEnv } from '../../../storage/store/wal/unsynced-env.ts'
import type { TxResult } from '../application.ts'
import { type CometBlock, decodeCometBlock } from '../comet/block.ts'
import type { BlockId } from '../comet/block-id.ts'
import { decodeBlockResults } from '../comet/block-results.ts'
import { type Commit, decodeCommit, encodeCommit } from '../comet/commit.ts'
import { decodeSettings, encodeSettings } from './settings-codec.ts'

/** Key of the genesis record in the table `chain`. */
export const GENESIS_KEY = new TextEncoder().encode('genesis')

/** Most blocks pruned in one transaction, which delays the block just committed. */
const PRUNE_BLOCKS = 64

/** A block with the encoding that was hashed. */
export interface StoredBlock {
  readonly block: CometBlock
  readonly encoded: Uint8Array
}

export interface DecidedBlock extends StoredBlock {
  readonly blockId: BlockId
  /** The precommits with which this node saw the block decided. */
  readonly commit: Commit
}

const TABLES = [
  'blocks',
  'commits',
  'results',
  'heights',
  'app_hashes',
  'settings',
  'chain',
] as const

type BlockRows = LmdbReads & Pick<LmdbTable, 'put' | 'remove'>

/** Database environment of the blocks. A late one makes rows durable after the write returns. */
interface BlockEnv {
  readonly dir: string
  table(name: string): BlockRows
  /** @param whole false to make the rows take effect together with the next write */
  write(work: () => void, whole?: boolean): void
  close(): Promise<void>
}

function openEnv(path: string, isLate: boolean): BlockEnv {
  if (isLate) return new UnsyncedEnv(path, TABLES)
  const env = new LmdbEnv(path, { tables: TABLES })
  takeUnsyncedRows(env, TABLES)
  return env
}

/** Returns the height of the first row in the range; 0 if it is empty. */
function firstHeight(table: BlockRows, range: RowRange): number {
  for (const { key } of table.range({ ...range, limit: 1 })) return decodeHeight(key)
  return 0
}

/** Removes the rows of heights above `height`. Call it inside a transaction. */
function removeAbove(table: BlockRows, height: number): void {
  const start = encodeHeight(height + 1)
  for (const { key } of [...table.range({ start })]) table.remove(key)
}

/**
 * The node's consensus blocks: block, commit and results by height. A block is first proposed (its encoding), then
 * decided (its commit), and then executed (its results). The app hash after it is in the next block.
 *
 * Each write is on disk when it returns. In a late store a block counts once its results are stored, and survives a
 * crash of the process but not of the machine.
 */
export class ConsensusBlockStore {
  readonly #env: BlockEnv
  readonly #blocks: BlockRows
  readonly #commits: BlockRows
  readonly #results: BlockRows
  readonly #heights: BlockRows
  readonly #appHashes: BlockRows
  readonly #settings: BlockRows
  readonly #chain: BlockRows
  #base: number
  #height: number
  /** Latest height with results; the look-up of those that no execution stored yet costs a read of the file. */
  #executed: number

  /**
   * Opens or creates the environment in the directory `path` (`data/blockstore.db`).
   * @throws STORE_CORRUPTED, STORE_FULL, also from reads and writes
   */
  constructor(path: string, { isLate = false }: { readonly isLate?: boolean } = {}) {
    this.#env = openEnv(path, isLate)
    this.#blocks = this.#env.table('blocks')
    this.#commits = this.#env.table('commits')
    this.#results = this.#env.table('results')
    this.#heights = this.#env.table('heights')
    this.#appHashes = this.#env.table('app_hashes')
    this.#settings = this.#env.table('settings')
    this.#chain = this.#env.table('chain')
    this.#base = firstHeight(this.#commits, {})
    this.#height = firstHeight(this.#commits, { reverse: true })
    this.#executed = firstHeight(this.#results, { reverse: true })
  }

  get #byHeight(): readonly BlockRows[] {
    return [this.#commits, this.#blocks, this.#results, this.#appHashes, this.#settings]
  }

  get dir(): string {
    return this.#env.dir
  }

  /** Lowest retained height; 0 if no block is decided. */
  get base(): number {
    return this.#base
  }

  /** Latest decided height; 0 if there is none. */
  get height(): number {
    return this.#height
  }

  /** Returns the proposed or decided block of `height`. */
  block(height: number): StoredBlock | undefined {
    const encoded = this.#blocks.get(encodeHeight(height))
    return encoded && { block: this.#decode(decodeCometBlock, encoded, 'block', height), encoded }
  }

  /** Returns the decided block of `height`. */
  decided(height: number): DecidedBlock | undefined {
    const commit = this.commit(height)
    const stored = this.block(height)
    if (commit === undefined || stored === undefined) return undefined
    return { ...stored, blockId: commit.blockId, commit }
  }

  commit(height: number): Commit | undefined {
    const encoded = this.#commits.get(encodeHeight(height))
    return encoded && this.#decode(decodeCommit, encoded, 'commit', height)
  }

  /** Returns the transaction results of the executed block of `height`. */
  results(height: number): readonly TxResult[] | undefined {
    if (height > this.#executed) return undefined
    const encoded = this.#results.get(encodeHeight(height))
    return encoded && this.#decode(decodeBlockResults, encoded, 'results', height)
  }

  /** Returns the app hash after the block of `height`, stored only if a run ended with that block. */
  appHash(height: number): Uint8Array | undefined {
    return this.#appHashes.get(encodeHeight(height))
  }

  /** Returns the stored genesis record; undefined if there is none. */
  genesis(): GenesisRecord | undefined {
    const stored = this.#chain.get(GENESIS_KEY)
    if (stored === undefined) return undefined
    return this.#decode(
      (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
      stored,
      'genesis',
      0,
    )
  }

  saveGenesis(record: GenesisRecord): void {
    const bytes = new TextEncoder().encode(JSON.stringify(record))
    this.#env.write(() => this.#chain.put(GENESIS_KEY, bytes))
  }

  /** Returns the height of the decided block with this hash. */
  heightOf(blockHash: Uint8Array): number | undefined {
    const height = this.#heights.get(blockHash)
    return height && decodeHeight(height)
  }

  /** Returns the header overrides of the block of `height`, without which it cannot be executed again. */
  settings(height: number): HeaderOverrides {
    const encoded = this.#settings.get(encodeHeight(height))
    if (encoded === undefined) return NO_HEADER_OVERRIDES
    return this.#decode(decodeSettings, encoded, 'settings', height)
  }

  propose(height: number, encodedBlock: Uint8Array, settings = NO_HEADER_OVERRIDES): void {
    const key = encodeHeight(height)
    const encodedSettings = encodeSettings(settings)
    this.#env.write(() => {
      this.#blocks.put(key, encodedBlock)
      if (encodedSettings === undefined) this.#settings.remove(key)
      else this.#settings.put(key, encodedSettings)
    }, false)
  }

  /** Marks the proposed block of the commit's height as decided. */
  decide(commit: Commit): void {
    const height = encodeHeight(commit.height)
    this.#env.write(() => {
      this.#commits.put(height, encodeCommit(commit))
      this.#heights.put(commit.blockId.hash, height)
    }, false)
    this.#height = commit.height
    if (this.#base === 0) this.#base = commit.height
  }

  /** Stores a block that other nodes have decided. */
  add({ block, encoded, commit }: DecidedBlock): void {
    const height = encodeHeight(block.header.height)
    this.#env.write(() => {
      this.#blocks.put(height, encoded)
      this.#commits.put(height, encodeCommit(commit))
      this.#heights.put(commit.blockId.hash, height)
    })
    this.#height = block.header.height
    if (this.#base === 0) this.#base = this.#height
  }

  /** @param encoded of `encodeBlockResults` */
  saveResults(height: number, encoded: Uint8Array): void {
    this.#env.write(() => this.#results.put(encodeHeight(height), encoded))
    this.#executed = Math.max(this.#executed, height)
  }

  /** Stores the app hash after the latest block, which no header states yet. */
  saveAppHash(height: number, appHash: Uint8Array): void {
    this.#env.write(() => this.#appHashes.put(encodeHeight(height), appHash))
  }

  /**
   * Drops the lowest blocks below `retainHeight`, at most `PRUNE_BLOCKS`; the next call continues. The latest decided
   * block always stays.
   */
  prune(retainHeight: number): void {
    const base = Math.min(retainHeight, this.#height, this.#base + PRUNE_BLOCKS)
    this.#env.write(() => {
      for (let height = this.#base; height < base; height++) {
        const key = encodeHeight(height)
        const commit = this.commit(height)
        if (commit !== undefined) this.#heights.remove(commit.blockId.hash)
        for (const table of this.#byHeight) {
          table.remove(key)
        }
      }
    })
    this.#base = base
  }

  /** Removes the results of the blocks above `height`. The blocks stay, to be executed again. */
  forgetResults(height: number): void {
    this.#env.write(() => {
      for (const table of [this.#results, this.#appHashes]) removeAbove(table, height)
    })
  }

  /** Removes all data of the decided and proposed blocks above `height`. */
  cut(height: number): void {
    // One block above the latest may be proposed.
    const first = Math.max(height + 1, this.#base)
    this.#env.write(() => {
      for (let each = Math.max(this.#height, height) + 1; each >= first; each--) {
        const commit = this.commit(each)
        if (commit !== undefined) this.#heights.remove(commit.blockId.hash)
        const key = encodeHeight(each)
        for (const table of this.#byHeight) table.remove(key)
      }
    })
    this.#height = height < this.#base ? 0 : Math.min(this.#height, height)
    if (this.#height === 0) this.#base = 0
  }

  async close(): Promise<void> {
    await this.#env.close()
  }

  #decode<T>(
    decode: (encoded: Uint8Array) => T,
    encoded: Uint8Array,
    what: string,
    height: number,
  ) {
    try {
      return decode(encoded)
    } catch (cause) {
      throw new LockstepError(
        'STORE_CORRUPTED',
        `Database is corrupted: ${what} of height ${height} in ${this.#env.dir} does not decode`,
        { cause },
      )
    }
  }
}
