import { type Database, open, type RootDatabase } from 'lmdb'
import { LockstepError } from '../../base/error.ts'
import type { FinalizeBlockResponse } from '../application.ts'
import { type CometBlock, decodeBlock } from '../comet/block.ts'
import type { BlockId } from '../comet/block-id.ts'
import { decodeBlockResults, encodeBlockResults } from '../comet/block-results.ts'
import { type Commit, decodeCommit, encodeCommit } from '../comet/commit.ts'

/** A block with its bytes as they were hashed. */
export interface StoredBlock {
  readonly block: CometBlock
  readonly encoded: Uint8Array
}

export interface DecidedBlock extends StoredBlock {
  readonly blockId: BlockId
  /** The precommits by which this node saw the block decided. */
  readonly commit: Commit
}

type Table<K extends number | Buffer> = Database<Buffer, K>

/** LMDB hands out Buffers; the messages inside them should be plain byte arrays. */
function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/**
 * The consensus blocks of this node: block, commit and results by height. A block is first proposed
 * (its bytes alone), then decided (with its commit), then its results are added. Each step is synced
 * when its promise resolves; reads see it at once.
 */
export class BlockStore {
  readonly #path: string
  readonly #root: RootDatabase<Buffer, number>
  readonly #blocks: Table<number>
  readonly #commits: Table<number>
  readonly #results: Table<number>
  readonly #heights: Database<number, Buffer>

  /** Opens the environment at `path` (`data/blockstore.db`), creating it when it is missing. */
  constructor(path: string) {
    this.#path = path
    // Without overlapping syncs a write's promise resolves after its fsync.
    this.#root = open({ path, noSubdir: false, encoding: 'binary', overlappingSync: false })
    this.#blocks = this.#root.openDB({ name: 'blocks', encoding: 'binary' })
    this.#commits = this.#root.openDB({ name: 'commits', encoding: 'binary' })
    this.#results = this.#root.openDB({ name: 'results', encoding: 'binary' })
    this.#heights = this.#root.openDB({
      name: 'heights',
      keyEncoding: 'binary',
      encoding: 'ordered-binary',
    })
  }

  /** Lowest height kept; 0 when no block is decided. */
  get base(): number {
    for (const height of this.#commits.getKeys({ limit: 1 })) return height
    return 0
  }

  /** Newest height decided; 0 when there is none. */
  get height(): number {
    for (const height of this.#commits.getKeys({ reverse: true, limit: 1 })) return height
    return 0
  }

  /** A block of `height`, proposed or decided. */
  block(height: number): StoredBlock | undefined {
    const stored = this.#blocks.get(height)
    if (stored === undefined) return undefined
    const encoded = plain(stored)
    return { block: this.#decode(decodeBlock, encoded, 'block', height), encoded }
  }

  /** The decided block of `height`. */
  decided(height: number): DecidedBlock | undefined {
    const commit = this.commit(height)
    const stored = this.block(height)
    if (commit === undefined || stored === undefined) return undefined
    return { ...stored, blockId: commit.blockId, commit }
  }

  commit(height: number): Commit | undefined {
    const stored = this.#commits.get(height)
    return stored && this.#decode(decodeCommit, plain(stored), 'commit', height)
  }

  results(height: number): FinalizeBlockResponse | undefined {
    const stored = this.#results.get(height)
    return stored && this.#decode(decodeBlockResults, plain(stored), 'results', height)
  }

  /** Height of the decided block with this hash. */
  heightOf(blockHash: Uint8Array): number | undefined {
    return this.#heights.get(asBuffer(blockHash))
  }

  async propose(height: number, encodedBlock: Uint8Array): Promise<void> {
    await this.#blocks.put(height, asBuffer(encodedBlock))
  }

  /** Marks the proposed block of the commit's height as decided. */
  async decide(commit: Commit): Promise<void> {
    await this.#root.transaction(() => {
      this.#commits.put(commit.height, asBuffer(encodeCommit(commit)))
      this.#heights.put(asBuffer(commit.blockId.hash), commit.height)
    })
  }

  async saveResults(height: number, results: FinalizeBlockResponse): Promise<void> {
    await this.#results.put(height, asBuffer(encodeBlockResults(results)))
  }

  /** Drops what lies below `retainHeight`; the newest decided block always stays. */
  async prune(retainHeight: number): Promise<void> {
    const end = Math.min(retainHeight, this.height)
    await this.#root.transaction(() => {
      for (const { key, value } of this.#commits.getRange({ end })) {
        const { hash } = decodeCommit(plain(value)).blockId
        this.#heights.remove(asBuffer(hash))
        this.#commits.remove(key)
        this.#blocks.remove(key)
        this.#results.remove(key)
      }
    })
  }

  async close(): Promise<void> {
    await this.#root.close()
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
        `Database is corrupted: ${what} of height ${height} in ${this.#path} does not decode`,
        { cause },
      )
    }
  }
}
