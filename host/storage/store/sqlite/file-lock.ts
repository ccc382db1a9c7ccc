import { LockstepError, messageOf } from '../../../base/error.ts'
import { loadSqlite } from './sqlite.ts'

/**
 * The exclusive right to a file, until it is released or the process ends. Keep it: one that nobody refers to is released
 * with the next collection of garbage.
 */
export interface FileLock {
  release(): void
}

const SQLITE_BUSY = 5

/** The lock is an empty file that holds nothing. */
function unusable(path: string, cause: unknown): LockstepError {
  return new LockstepError('STORE_DENIED', `cannot lock ${path}: ${messageOf(cause)}`, {
    hint: `remove ${path} while no node runs, or make its folder writable: the lock holds nothing`,
    cause,
  })
}

/**
 * Takes a lock file for this process, making it when it is missing; undefined when another process, or an
 * earlier call in this one, has it.
 *
 * The lock is the operating system's own (fcntl), so it ends with the process however that ends, and
 * holds between containers that share the folder, where process ids mean nothing. Node exposes no file
 * lock but through SQLite, so an empty SQLite file is opened and locked.
 * @throws STORE_DENIED when the file cannot be opened or is something else
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
