import { LmdbEnv, type LmdbTable } from '../store/lmdb/lmdb-env.ts'
import { APP_HASH_KEY, VERSION_KEY, writeWords } from './commit-markers.ts'
import { CommitSnapshot } from './commit-snapshot.ts'
import { DATABASES, type DatabaseName } from './flatkv/flatkv.ts'
import { flatRoot, type Lattices, RowHash } from './flatkv/row-hash.ts'
import { appHash, EVM_STORE, type StoreRoot } from './hash/app-hash.ts'
import type { CommitHasher } from './hash/commit-hasher.ts'
import { iavlRoot } from './iavl/iavl.ts'
import { type BuiltTree, IavlBuilder } from './iavl/iavl-builder.ts'
import { writeIavlRow } from './iavl/iavl-store.ts'

/** The hashes of the rows on disk. */
export interface CommitProof {
  readonly appHash: Uint8Array
  readonly lattices: Lattices
}

/** Called with the number of rows processed. Its result is awaited; an error it throws ends the work. */
export type OnHashedRows = (rows: number) => unknown

/** Rows between two calls of `OnHashedRows`. */
export const REPORT_ROWS = 1024

/**
 * Writes the state commit of one version from rows and nodes, without executing blocks. It has no version until
 * `finish`. Writing a row again changes nothing.
 */
export class CommitImport {
  readonly #env: LmdbEnv
  readonly #dir: string
  readonly #hasher: CommitHasher
  readonly #databases: ReadonlyMap<DatabaseName, LmdbTable>
  readonly #bytecode: LmdbTable
  readonly #nodes: LmdbTable
  readonly #roots: LmdbTable

  constructor(dir: string, hasher: CommitHasher) {
    this.#dir = dir
    this.#hasher = hasher
    this.#env = new LmdbEnv(dir)
    this.#databases = new Map(DATABASES.map((name) => [name, this.#env.table(name)]))
    this.#bytecode = this.#env.table('bytecode')
    this.#nodes = this.#env.table('nodes')
    this.#roots = this.#env.table('roots')
  }

  /** Runs `work`, which writes, as one transaction. */
  write(work: () => void): void {
    this.#env.write(work)
  }

  putRow(database: DatabaseName, key: Uint8Array, row: Uint8Array): void {
    this.#databases.get(database)?.put(key, row)
  }

  putCode(codeHash: Uint8Array, code: Uint8Array): void {
    this.#bytecode.put(codeHash, code)
  }

  /** Returns a builder that takes the nodes of a module's tree in post-order. */
  openTree(module: string): IavlBuilder {
    return new IavlBuilder(module, this.#hasher, (id, row) => {
      writeIavlRow(this.#nodes, module, id, row)
    })
  }

  putTree(module: string, { rootId, nextId }: BuiltTree): void {
    this.#roots.put(Buffer.from(module), writeWords(rootId, nextId))
  }

  /**
   * Hashes all rows on disk. The nodes were hashed when they were built.
   * @param onRows - Called with the number of rows hashed. Its result is awaited; an error it throws ends the work.
   */
  async prove(onRows: OnHashedRows = () => {}): Promise<CommitProof> {
    const stored = CommitSnapshot.open(this.#dir)
    try {
      const rows = new RowHash(this.#hasher)
      let count = 0
      for (const database of DATABASES) {
        for (const { key, value } of stored.rows(database)) {
          rows.add(database, key, value)
          if (++count % REPORT_ROWS === 0) await onRows(count)
        }
      }
      const lattices = rows.finish()
      const roots: StoreRoot[] = [{ name: EVM_STORE, root: flatRoot(lattices, this.#hasher) }]
      for (const name of stored.modules()) {
        roots.push({ name, root: stored.moduleRoot(name) ?? iavlRoot(undefined, this.#hasher) })
      }
      return { appHash: appHash(roots, this.#hasher), lattices }
    } finally {
      await stored.close()
    }
  }

  /** Marks what was written as the committed version. */
  finish(version: number, { appHash, lattices }: CommitProof): void {
    const markers = this.#env.table('markers')
    const table = this.#env.table('lattices')
    this.#env.write(() => {
      for (const name of DATABASES) table.put(Buffer.from(name), lattices[name])
      markers.put(VERSION_KEY, writeWords(version))
      markers.put(APP_HASH_KEY, appHash)
    })
  }

  async close(): Promise<void> {
    await this.#env.close()
  }
}
