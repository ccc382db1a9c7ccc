import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { LmdbEnv, type LmdbReads, type LmdbRow, type LmdbSnapshot } from '../store/lmdb/lmdb-env.ts'
import { APP_HASH_KEY, readMarkerWord, VERSION_KEY } from './commit-markers.ts'
import { DATABASES, type DatabaseName } from './flatkv/flatkv.ts'
import { type IavlRow, iavlNodes, readIavlRow } from './iavl/iavl-store.ts'

const TABLES = [...DATABASES, 'bytecode', 'nodes', 'roots', 'markers']

/**
 * The state commit on disk at one version, while a committer continues: an LMDB read transaction. It holds only the
 * current row in memory.
 */
export class CommitSnapshot {
  /** -1 if no version is on disk. */
  readonly version: number
  /** App hash of `version`, 32 bytes. */
  readonly appHash: Uint8Array
  readonly #env: LmdbEnv
  readonly #reads: LmdbSnapshot
  readonly #nodes: LmdbReads
  readonly #bytecode: LmdbReads

  /**
   * Opens the committer's database in `dir`, which a committer of this or another process checked when it opened it.
   * @throws NOT_FOUND if there is none, STORE_CORRUPTED
   */
  static open(dir: string): CommitSnapshot {
    if (!existsSync(join(dir, 'data.mdb'))) {
      throw new LockstepError('NOT_FOUND', `${dir} holds no state commit`, {
        hint: 'start the node once to create its state',
      })
    }
    return new CommitSnapshot(new LmdbEnv(dir, { isShared: true }))
  }

  private constructor(env: LmdbEnv) {
    this.#env = env
    this.#reads = env.snapshot(TABLES)
    this.#nodes = this.#reads.table('nodes')
    this.#bytecode = this.#reads.table('bytecode')
    const markers = this.#reads.table('markers')
    const version = markers.get(VERSION_KEY)
    this.version = version === undefined ? -1 : readMarkerWord(version, 0)
    this.appHash = markers.get(APP_HASH_KEY) ?? new Uint8Array(32)
  }

  /** Returns the names of the modules that have a store, ascending. */
  modules(): string[] {
    return Array.from(this.#reads.table('roots').range({}), ({ key }) =>
      Buffer.from(key).toString(),
    )
  }

  /** Returns the root hash of a module's tree, 32 bytes, or undefined if the tree is empty. */
  moduleRoot(module: string): Uint8Array | undefined {
    const id = this.#rootId(module)
    return id === 0 ? undefined : readIavlRow(this.#nodes, module, id).hash
  }

  /** Yields the nodes of a module's tree in post-order: children before their parent, the left one first. */
  nodes(module: string): Generator<IavlRow, void> {
    return iavlNodes(this.#nodes, module, this.#rootId(module))
  }

  /** Yields the leaves of a module's tree, keys ascending. */
  *leaves(module: string): Generator<IavlRow, void> {
    for (const row of this.nodes(module)) if (row.height === 0) yield row
  }

  /** Yields the rows of one FlatKV database, keys ascending. */
  rows(database: DatabaseName): Generator<LmdbRow, void> {
    return this.#reads.table(database).range({})
  }

  /** Yields bytecode by its Keccak-256 hash, hashes ascending. */
  codes(): Generator<LmdbRow, void> {
    return this.#bytecode.range({})
  }

  holdsCode(codeHash: Uint8Array): boolean {
    return this.#bytecode.get(codeHash) !== undefined
  }

  async close(): Promise<void> {
    this.#reads.close()
    await this.#env.close()
  }

  #rootId(module: string): number {
    const root = this.#reads.table('roots').get(Buffer.from(module))
    return root === undefined ? 0 : readMarkerWord(root, 0)
  }
}
