import type { DatabaseSync } from 'node:sqlite'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { loadSqlite } from './sqlite.ts'

/** A commit takes milliseconds, and the check of a database by who comes first some seconds. */
const LONGEST_WAIT_MS = 60_000

/**
 * Serializes the processes that open, write and close one LMDB environment. LMDB itself lets them meet: who opens an
 * environment sets the number of its newest transaction to what it read a moment before (mdb_env_open2), and a commit
 * between the two is overwritten by the next. The lock is the operating system's own: it ends with its process.
 */
export class WriteLock {
  readonly #path: string
  readonly #database: DatabaseSync

  /** @throws STORE_DENIED if the file cannot be made or is something else */
  constructor(path: string) {
    this.#path = path
    try {
      this.#database = new (loadSqlite().DatabaseSync)(path)
      this.#database.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
    } catch (cause) {
      throw this.#unusable(cause)
    }
  }

  /** @throws STORE_DENIED if the lock cannot be had, and what `work` throws */
  hold<T>(work: () => T): T {
    this.#lock()
    try {
      return work()
    } finally {
      this.#database.exec('ROLLBACK')
    }
  }

  /**
   * Closes the environment while it holds the lock, then the lock itself. The last process to close an environment
   * destroys its mutexes before it releases the lock file (mdb_env_close0). A process that waits for that file would
   * take the destroyed mutexes for sound ones, and its first transaction would fail with EINVAL. If the lock cannot be
   * had, because its folder is gone or its holder hangs, the environment is closed without it.
   */
  async closeWith(closeEnv: () => Promise<void>): Promise<void> {
    try {
      this.#lock()
    } catch {
      // Nothing is written any more: what the lock protects is the start of another process.
    }
    try {
      await closeEnv()
    } finally {
      this.close()
    }
  }

  close(): void {
    this.#database.close()
  }

  #lock(): void {
    try {
      this.#database.exec('BEGIN EXCLUSIVE')
    } catch (cause) {
      throw this.#unusable(cause)
    }
  }

  #unusable(cause: unknown): LockstepError {
    return new LockstepError('STORE_DENIED', `cannot lock ${this.#path}: ${messageOf(cause)}`, {
      hint: `make its folder writable, and end processes that hold the file: the lock itself holds nothing`,
      cause,
    })
  }
}
