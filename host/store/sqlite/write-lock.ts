import type { DatabaseSync } from 'node:sqlite'
import { LockstepError, messageOf } from '../../base/error.ts'
import { loadSqlite } from './sqlite.ts'

/** A commit takes milliseconds, and the check of a database by who comes first some seconds. */
const LONGEST_WAIT_MS = 60_000

/**
 * What processes that write one LMDB environment, and those that open it, hold one after the other. LMDB itself lets
 * them meet: who opens an environment sets the number of its newest transaction to what it read a moment before
 * (mdb_env_open2), and a commit between the two is overwritten by the next. The lock is the operating system's own: it
 * ends with its process.
 */
export class WriteLock {
  readonly #path: string
  readonly #database: DatabaseSync

  /** @throws STORE_DENIED where the file cannot be made or is something else */
  constructor(path: string) {
    this.#path = path
    try {
      this.#database = new (loadSqlite().DatabaseSync)(path)
      this.#database.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
    } catch (cause) {
      throw this.#unusable(cause)
    }
  }

  /** @throws STORE_DENIED where the lock cannot be had, and what `work` throws */
  hold<T>(work: () => T): T {
    try {
      this.#database.exec('BEGIN EXCLUSIVE')
    } catch (cause) {
      throw this.#unusable(cause)
    }
    try {
      return work()
    } finally {
      this.#database.exec('ROLLBACK')
    }
  }

  close(): void {
    this.#database.close()
  }

  #unusable(cause: unknown): LockstepError {
    return new LockstepError('STORE_DENIED', `cannot lock ${this.#path}: ${messageOf(cause)}`, {
      hint: `make its folder writable, and end processes that hold the file: the lock itself holds nothing`,
      cause,
    })
  }
}
