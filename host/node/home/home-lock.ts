import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Home } from './home.ts'

/** The exclusive right to a home. */
export interface HomeLock {
  release(): void
}

const SQLITE_BUSY = 5

/** Loads the module without the notice that its API may change: only its file lock is used. */
function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

function readOwner(home: Home): string {
  try {
    return `process ${readFileSync(home.lockOwner, 'utf8').trim()}`
  } catch {
    return 'another process'
  }
}

/** The lock is an empty file that holds nothing. */
function unusable(path: string, cause: unknown): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `cannot lock ${path}: ${messageOf(cause)}`, {
    hint: `remove ${path} while no node runs, or make its folder writable: the lock holds nothing`,
    cause,
  })
}

/**
 * Takes the home for this process, creating the folder when it is missing.
 *
 * The lock is the operating system's own (fcntl), so it ends with the process however that ends, and
 * holds between containers that share the folder, where process ids mean nothing. Node exposes no file
 * lock but through SQLite, so an empty SQLite file is opened and locked.
 * @throws HOME_LOCKED when another process, or an earlier call in this one, has it.
 */
export function lockHome(home: Home): HomeLock {
  mkdirSync(home.root, { recursive: true, mode: 0o700 })
  const { DatabaseSync } = loadSqlite()
  let database: InstanceType<typeof DatabaseSync>
  try {
    database = new DatabaseSync(home.lock)
  } catch (cause) {
    throw unusable(home.lock, cause)
  }
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw unusable(home.lock, error)
    throw new LockstepError(
      'HOME_LOCKED',
      `failed to initialize database: resource temporarily unavailable (${home.root} is in use by ${readOwner(home)})`,
    )
  }
  writeFileSync(home.lockOwner, `${process.pid}\n`)
  return {
    release: () => {
      rmSync(home.lockOwner, { force: true })
      database.close()
    },
  }
}
