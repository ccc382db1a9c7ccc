import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { LmdbEnv, type LmdbTable } from '../store/lmdb/lmdb-env.ts'
import { readMarkerWord, VERSION_KEY } from './commit-markers.ts'
import { DATABASES, type DatabaseName, KEY_PREFIXES } from './flatkv/flatkv.ts'
import type { CommitHasher } from './hash/commit-hasher.ts'
import { ElementList } from './hash/element-list.ts'
import { LATTICE_BYTES } from './hash/lattice-hasher.ts'
import { UndoLog } from './undo/undo-log.ts'
import { UNDO_TABLES, type UndoNote, type UndoTable } from './undo/undo-note.ts'

/** Bytes of elements hashed per call. */
const BATCH = 256 * 1024

/** Called with the number of flushes undone, and of all flushes to undo. */
export type OnRewound = (done: number, total: number) => void

/**
 * Returns the versions that the state commit in `dir` can be reverted to, starting with the current one. -1 is the
 * empty state before the first flush.
 */
export async function rewindableVersions(dir: string): Promise<number[]> {
  if (!existsSync(join(dir, 'data.mdb'))) return [-1]
  const env = new LmdbEnv(dir)
  try {
    return versionsBefore(new UndoLog(env), versionIn(env))
  } finally {
    await env.close()
  }
}

/**
 * Reverts the state commit in `dir` to the latest of its `rewindableVersions` at or below `target`. It is one
 * transaction, which aborts unless the rows hash to the lattices recorded with them.
 * @throws STORE_CORRUPTED
 */
export async function rewindCommit(
  dir: string,
  target: number,
  hasher: CommitHasher,
  onRewound: OnRewound = () => {},
): Promise<void> {
  const env = new LmdbEnv(dir)
  try {
    rewindEnv(env, new UndoLog(env), target, hasher, onRewound)
  } finally {
    await env.close()
  }
}

/** Does the same as `rewindCommit` in an open environment. @throws STORE_CORRUPTED */
export function rewindEnv(
  env: LmdbEnv,
  undo: UndoLog,
  target: number,
  hasher: CommitHasher,
  onRewound: OnRewound = () => {},
): void {
  const flushes = undo.flushes.filter(({ version }) => version > target)
  if (flushes.length === 0) return
  env.write(() => {
    const rewind = new Rewind(env, hasher)
    for (const [done, flush] of flushes.entries()) {
      for (const note of undo.notes(flush)) rewind.take(note)
      undo.remove(flush)
      onRewound(done + 1, flushes.length)
    }
    rewind.verify(env.dir)
  })
}

/** Returns the versions that undoing flushes can reach, starting with `newest`. */
export function versionsBefore(undo: UndoLog, newest: number): number[] {
  const versions = [newest]
  for (const { version, base } of undo.flushes) {
    if (version !== versions.at(-1)) break
    versions.push(base)
  }
  return versions
}

/** Restores rows, and updates the lattices of FlatKV's databases accordingly. */
class Rewind {
  readonly #hasher: CommitHasher
  readonly #tables: ReadonlyMap<UndoTable, LmdbTable>
  readonly #lattices: ReadonlyMap<DatabaseName, Uint8Array>
  readonly #added = new ElementList()
  readonly #removed = new ElementList()
  #database: DatabaseName = 'account'

  constructor(env: LmdbEnv, hasher: CommitHasher) {
    this.#hasher = hasher
    this.#tables = new Map(UNDO_TABLES.map((name) => [name, env.table(name)]))
    this.#lattices = new Map(DATABASES.map((name) => [name, this.#recorded(name)]))
  }

  take({ table, key, old }: UndoNote): void {
    const rows = this.#tables.get(table) as LmdbTable
    if (isFlat(table)) this.#follow(table, key, rows.get(key), old)
    if (old === undefined) rows.remove(key)
    else rows.put(key, old)
  }

  /** @throws STORE_CORRUPTED if the rows do not hash to the lattices restored with them. */
  verify(dir: string): void {
    this.#hash()
    for (const [name, lattice] of this.#lattices) {
      if (equalBytes(lattice, this.#recorded(name))) continue
      throw new LockstepError(
        'STORE_CORRUPTED',
        `state commit ${dir}: the rows of ${name} that earlier flushes replaced do not give the hash recorded with them`,
        { data: { path: dir } },
      )
    }
  }

  #recorded(name: DatabaseName): Uint8Array {
    const row = this.#tables.get('lattices')?.get(Buffer.from(name))
    return row?.slice() ?? new Uint8Array(LATTICE_BYTES)
  }

  #follow(
    database: DatabaseName,
    key: Uint8Array,
    row: Uint8Array | undefined,
    old: Uint8Array | undefined,
  ): void {
    const waiting = this.#added.bytes.length + this.#removed.bytes.length
    if (database !== this.#database || waiting >= BATCH) this.#hash()
    this.#database = database
    const prefix = KEY_PREFIXES[database]
    if (row !== undefined) this.#removed.add(prefix, key, row)
    if (old !== undefined) this.#added.add(prefix, key, old)
  }

  #hash(): void {
    const lattice = this.#lattices.get(this.#database) as Uint8Array
    this.#hasher.subtract(lattice, this.#removed.bytes)
    this.#hasher.add(lattice, this.#added.bytes)
    this.#removed.clear()
    this.#added.clear()
  }
}

function isFlat(table: UndoTable): table is DatabaseName {
  return DATABASES.some((name) => name === table)
}

function versionIn(env: LmdbEnv): number {
  const version = env.table('markers').get(VERSION_KEY)
  return version === undefined ? -1 : readMarkerWord(version, 0)
}
