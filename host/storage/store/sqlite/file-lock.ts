import { LockstepError, messageOf } from '../../../base/error.ts'
import { loadSqlite } from './sqlite.ts'

/**
 * The exclusive right to a file, until it is released or the process ends. Keep a reference: an unreferenced lock is
 * released by the next garbage collection.
 */
export interface FileLock {
  release(): void
}

const SQLITE_BUSY = 5

/** The remedy is to remove the file, which is an empty lock. */
function unusable(path: string, cause: unknown): LockstepError {
  return new LockstepError('STORE_DENIED', `cannot lock ${path}: ${messageOf(cause)}`, {
    hint: `remove ${path} while no node runs, or make its folder writable: the lock holds no data`,
    cause,
  })
}

/**
 * Locks a file for this process, and creates it if it is missing. Returns undefined if another process, or an earlier
 * call in this one, holds it.
 *
 * The lock is the operating system's own (fcntl). It ends with the process in any case, and works between containers
 * that share the folder, which do not share process ids. Node exposes file locks only through SQLite, so an empty
 * SQLite file is opened and locked.
 * @throws STORE_DENIED if the file cannot be opened or is something else
 */
export function tryLockFile(path: string): FileLock | undefined {
  const { DatabaseSync } = loadSqlite()
  let database: InstanceType<typeof DatabaseSync>
  try {
    database = new DatabaseSync(path)
  } catch (cause) {
    throw unusable(path, cause)
  }
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw unusable(path, error)
    return undefined
  }
  return { release: () => database.close() }
}
