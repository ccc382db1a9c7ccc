import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { LockstepError } from '../../../base/error.ts'
import { storeError } from '../../table/store-error.ts'
import { type CheckedTable, checkEnvironment, TABLE_LIST } from './lmdb-check.ts'
import { checkFreeSpace, LmdbEnv } from './lmdb-env.ts'

/** Free disk left beside the copy. */
const RESERVE = 64 * 1024 * 1024

function rowsOf(tables: readonly CheckedTable[] | undefined): string {
  return JSON.stringify((tables ?? []).map(({ name, rows }) => [name, rows]).sort())
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Writes a row once more: LMDB leaves the first of a copy's two heads empty, which the check refuses. */
async function commitAgain(dir: string, table: string): Promise<void> {
  // Shared, so that it is not checked
  const env = new LmdbEnv(dir, { isShared: true })
  try {
    const rows = env.table(table)
    for (const { key, value } of rows.range({ limit: 1 })) env.write(() => rows.put(key, value))
  } finally {
    await env.close()
  }
}

/**
 * Replaces the file of an LMDB environment by a copy without free pages. LMDB never returns pages to the disk by
 * itself. The copy is checked before it replaces the file, in one rename, so a crash leaves one of the two.
 * No process may have the environment open. Does nothing if there is none.
 * @throws STORE_CORRUPTED, STORE_FULL
 */
export async function compactEnvironment(dir: string): Promise<void> {
  const data = join(dir, 'data.mdb')
  const folder = join(dir, 'compacting')
  rmSync(folder, { recursive: true, force: true })
  if (!existsSync(data)) return
  const tables = checkEnvironment(dir) ?? []
  const filled = tables.find(({ name, rows }) => name !== TABLE_LIST && rows > 0)
  if (filled === undefined) return
  const before = rowsOf(tables)
  checkFreeSpace(dir, statSync(data).size + RESERVE)
  const copy = join(folder, 'data.mdb')
  mkdirSync(folder, { mode: 0o700 })
  try {
    const environment = open({ path: dir, noSubdir: false, maxDbs: 16, overlappingSync: false })
    try {
      await environment.backup(folder, true)
    } finally {
      await environment.close()
    }
    await commitAgain(folder, filled.name)
    if (rowsOf(checkEnvironment(folder)) !== before) {
      throw new LockstepError('STORE_CORRUPTED', `the compacted copy of ${data} lacks rows`)
    }
    sync(copy)
    renameSync(copy, data)
    sync(dir)
  } catch (thrown) {
    throw storeError(dir, thrown)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
