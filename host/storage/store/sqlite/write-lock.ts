import type { DatabaseSync } from 'node:sqlite'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { loadSqlite } from './sqlite.ts'

/** A commit takes milliseconds, and the check of a database by the process that opens it first some seconds. */
const LONGEST_WAIT_MS = 60_000

/**
 * Serializes the processes that open, write to and close one LMDB environment. LMDB itself has a race: a process that
 * opens an environment sets the number of its latest transaction to the value it read before (mdb_env_open2), so the
 * next commit overwrites one made in between. The lock is the operating system's own: it ends with its process.
 */
export class WriteLock {
  readonly #path: string
  readonly #database: DatabaseSync

  /** @throws STORE_DENIED if the file cannot be created or is something else */
  constructor(path: string) {
    this.#path = path
    try {
      this.#database = new (loadSqlite().DatabaseSync)(path)
      this.#database.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
    } catch (cause) {
      throw this.#unusable(cause)
    }
  }

  /** @throws STORE_DENIED if the lock cannot be obtained, and errors of `work` */
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
   * use the destroyed mutexes, and its first transaction would fail with EINVAL. If the lock cannot be obtained,
   * because its folder is gone or its holder hangs, the environment is closed without it.
   */
  async closeWith(closeEnv: () => Promise<void>): Promise<void> {
    try {
      this.#lock()
    } catch {
      // There are no more writes; the lock only protects the start of another process.
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
      hint: `make its folder writable, and end processes that hold the file: the lock itself holds no data`,
      cause,
    })
  }
}
