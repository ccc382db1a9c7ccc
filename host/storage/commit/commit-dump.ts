import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { LmdbEnv, type LmdbReads } from '../store/lmdb/lmdb-env.ts'
import { readMarkerWord, VERSION_KEY } from './commit-markers.ts'
import { physicalKey } from './flatkv/flat-key.ts'
import { DATABASES, type DatabaseName } from './flatkv/flatkv.ts'
import { flatRoot, type Lattices } from './flatkv/row-hash.ts'
import { EVM_STORE } from './hash/app-hash.ts'
import type { CommitHasher } from './hash/commit-hasher.ts'
import { LATTICE_BYTES } from './hash/lattice-hasher.ts'
import { iavlRoot } from './iavl/iavl.ts'
import { type IavlRow, IavlStore, iavlNodes, readIavlRow } from './iavl/iavl-store.ts'
import { type StoredRoot, VersionRows } from './version-rows.ts'

/** A node of a tree for display, in the order from left to right. */
export interface DumpedNode {
  readonly row: IavlRow
  /** 0 for the root. */
  readonly depth: number
}

/** A key with its value, as FlatKV stores them. */
export interface FlatRow {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Reads the state commit of a stopped node: the trees of a retained version, and FlatKV at the latest. */
export class CommitDump {
  readonly #env: LmdbEnv
  readonly #nodes: LmdbReads
  readonly #versions: VersionRows
  readonly #hasher: CommitHasher
  /** Latest version. */
  readonly version: number

  /** Opens the database in `dir` and checks all of it. @throws NOT_FOUND, STORE_CORRUPTED */
  static open(dir: string, hasher: CommitHasher): CommitDump {
    if (!existsSync(join(dir, 'data.mdb'))) {
      throw new LockstepError('NOT_FOUND', `${dir} holds no state commit`, {
        hint: 'name the data/committer.db of a node that has run',
      })
    }
    return new CommitDump(new LmdbEnv(dir), hasher)
  }

  private constructor(env: LmdbEnv, hasher: CommitHasher) {
    this.#env = env
    this.#hasher = hasher
    this.#nodes = env.table('nodes')
    const tables = { versions: env.table('versions'), dropped: env.table('dropped') }
    this.#versions = new VersionRows(tables, new IavlStore(env.table('nodes')))
    const version = env.table('markers').get(VERSION_KEY)
    this.version = version === undefined ? -1 : readMarkerWord(version, 0)
  }

  /**
   * Returns the module stores at a height, by name; 0 is the latest height.
   * @throws STATE_PRUNED, NOT_FOUND if the height is not retained
   */
  trees(height: number): StoredRoot[] {
    const version = height === 0 ? this.version : height
    if (version === this.version) return this.#newest()
    const stores = this.#versions.read(version)
    if (stores !== undefined) return stores.filter(({ name }) => name !== EVM_STORE)
    const earliest = this.#versions.earliest ?? this.version
    throw new LockstepError(
      version > this.version ? 'NOT_FOUND' : 'STATE_PRUNED',
      `Invalid version number: height ${version} is not retained, heights ${earliest} to ${this.version} are`,
      {
        hint: 'name one of them, or raise sc-keep-recent in app.toml to retain more from now on',
        data: { requested: version, earliest, latest: this.version },
      },
    )
  }

  /** Yields the leaves of a tree, keys ascending. */
  *leaves({ name, node }: StoredRoot): Generator<IavlRow, void> {
    for (const row of iavlNodes(this.#nodes, name, node)) if (row.height === 0) yield row
  }

  /** Returns the number of leaves of a tree. */
  size({ name, node }: StoredRoot): number {
    return node === 0 ? 0 : readIavlRow(this.#nodes, name, node).size
  }

  /** Yields the nodes of a tree from left to right. */
  *shape({ name, node }: StoredRoot, depth = 0): Generator<DumpedNode, void> {
    if (node === 0) return
    const row = readIavlRow(this.#nodes, name, node)
    if (row.height > 0) yield* this.shape({ name, node: row.left, root: row.hash }, depth + 1)
    yield { row, depth }
    if (row.height > 0) yield* this.shape({ name, node: row.right, root: row.hash }, depth + 1)
  }

  /** Yields the rows of one FlatKV database under their physical keys, ascending. */
  *flatRows(database: DatabaseName): Generator<FlatRow, void> {
    for (const { key, value } of this.#env.table(database).range({})) {
      yield { key: physicalKey(database, key), value }
    }
  }

  /** Returns the lattice of each FlatKV database. */
  lattices(): Lattices {
    const table = this.#env.table('lattices')
    const entries = DATABASES.map((name) => [
      name,
      table.get(Buffer.from(name)) ?? new Uint8Array(LATTICE_BYTES),
    ])
    return Object.fromEntries(entries) as Lattices
  }

  /** Returns the root of one FlatKV database, or of all of them if `database` is absent. */
  flatRoot(database?: DatabaseName): Uint8Array {
    const lattices = this.lattices()
    return database === undefined
      ? flatRoot(lattices, this.#hasher)
      : this.#hasher.root(lattices[database])
  }

  async close(): Promise<void> {
    await this.#env.close()
  }

  #newest(): StoredRoot[] {
    return Array.from(this.#env.table('roots').range({}), ({ key, value }) => {
      const name = Buffer.from(key).toString()
      const node = readMarkerWord(value, 0)
      const root =
        node === 0 ? iavlRoot(undefined, this.#hasher) : readIavlRow(this.#nodes, name, node).hash
      return { name, node, root }
    })
  }
}
