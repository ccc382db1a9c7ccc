import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { LmdbEnv, type LmdbReads } from '../store/lmdb/lmdb-env.ts'
import { readWord, VERSION_KEY } from './commit-markers.ts'
import { physicalKey } from './flatkv/flat-key.ts'
import { DATABASES, type DatabaseName } from './flatkv/flatkv.ts'
import { flatRoot, type Lattices } from './flatkv/row-hash.ts'
import { EVM_STORE } from './hash/app-hash.ts'
import type { CommitHasher } from './hash/commit-hasher.ts'
import { LATTICE_BYTES } from './hash/lattice-hasher.ts'
import { iavlRoot } from './iavl/iavl.ts'
import { type IavlRow, IavlStore, iavlNodes, readIavlRow } from './iavl/iavl-store.ts'
import { type StoredRoot, VersionRows } from './version-rows.ts'

/** A node of a tree as it is shown, from the leftmost to the rightmost. */
export interface ShownNode {
  readonly row: IavlRow
  /** 0 for the root. */
  readonly depth: number
}

/** A key with its value, as FlatKV has them. */
export interface FlatRow {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** What the state commit of a stopped node holds: the trees of a kept version, and FlatKV at the newest. */
export class CommitDump {
  readonly #env: LmdbEnv
  readonly #nodes: LmdbReads
  readonly #versions: VersionRows
  readonly #hasher: CommitHasher
  /** Newest version. */
  readonly version: number

  /** Opens the database in `dir`, which is checked as a whole. @throws NOT_FOUND, STORE_CORRUPTED */
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
    this.version = version === undefined ? -1 : readWord(version, 0)
  }

  /**
   * The stores of modules at a height, by name; 0 is the newest.
   * @throws STATE_PRUNED, NOT_FOUND where the height is not kept
   */
  trees(height: number): StoredRoot[] {
    const version = height === 0 ? this.version : height
    if (version === this.version) return this.#newest()
    const stores = this.#versions.read(version)
    if (stores !== undefined) return stores.filter(({ name }) => name !== EVM_STORE)
    const earliest = this.#versions.earliest ?? this.version
    throw new LockstepError(
      version > this.version ? 'NOT_FOUND' : 'STATE_PRUNED',
      `Invalid version number: height ${version} is not kept, heights ${earliest} to ${this.version} are`,
      {
        hint: 'name one of them, or raise sc-keep-recent in app.toml for later ones',
        data: { requested: version, earliest, latest: this.version },
      },
    )
  }

  /** The leaves of a tree, keys ascending. */
  *leaves({ name, node }: StoredRoot): Generator<IavlRow, void> {
    for (const row of iavlNodes(this.#nodes, name, node)) if (row.height === 0) yield row
  }

  /** Leaves of a tree. */
  size({ name, node }: StoredRoot): number {
    return node === 0 ? 0 : readIavlRow(this.#nodes, name, node).size
  }

  /** The nodes of a tree from left to right. */
  *shape({ name, node }: StoredRoot, depth = 0): Generator<ShownNode, void> {
    if (node === 0) return
    const row = readIavlRow(this.#nodes, name, node)
    if (row.height > 0) yield* this.shape({ name, node: row.left, root: row.hash }, depth + 1)
    yield { row, depth }
    if (row.height > 0) yield* this.shape({ name, node: row.right, root: row.hash }, depth + 1)
  }

  /** The rows of one of FlatKV's databases under their physical keys, ascending. */
  *flatRows(database: DatabaseName): Generator<FlatRow, void> {
    for (const { key, value } of this.#env.table(database).range({})) {
      yield { key: physicalKey(database, key), value }
    }
  }

  /** The lattice of each of FlatKV's databases. */
  lattices(): Lattices {
    const table = this.#env.table('lattices')
    const entries = DATABASES.map((name) => [
      name,
      table.get(Buffer.from(name)) ?? new Uint8Array(LATTICE_BYTES),
    ])
    return Object.fromEntries(entries) as Lattices
  }

  /** The root of one of FlatKV's databases; of all of them where none is named. */
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
      const node = readWord(value, 0)
      const root =
        node === 0 ? iavlRoot(undefined, this.#hasher) : readIavlRow(this.#nodes, name, node).hash
      return { name, node, root }
    })
  }
}
