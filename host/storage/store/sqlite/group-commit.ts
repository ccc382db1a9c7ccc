import type { DatabaseSync } from 'node:sqlite'

interface Work {
  /** An error that it throws is passed to its own caller only. */
  readonly run: () => void
  readonly settle: () => void
  readonly fail: (reason: unknown) => void
}

/**
 * Runs the writes of one event loop tick in one transaction, and so with one sync. An error undoes only its own
 * write; promises resolve after all writes are on disk.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #committed: () => void
  readonly #waiting: Work[] = []

  /** @param committed - Called after each commit. */
  constructor(database: DatabaseSync, committed: () => void = () => {}) {
    this.#database = database
    this.#committed = committed
  }

  /** @param work - Runs within the transaction and must not wait. @throws errors of `work` and of the disk */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, fail) => {
      let value: T
      const run = () => {
        value = work()
      }
      this.#waiting.push({ run, settle: () => resolve(value), fail })
      if (this.#waiting.length === 1) setImmediate(() => this.#commit())
    })
  }

  #commit(): void {
    const all = this.#waiting.splice(0)
    const done: Work[] = []
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      for (const work of all) if (this.#apply(work)) done.push(work)
      this.#database.exec('COMMIT')
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      for (const { fail } of all) fail(error)
      return
    }
    this.#committed()
    for (const { settle } of done) settle()
  }

  #apply({ run, fail }: Work): boolean {
    this.#database.exec('SAVEPOINT work')
    try {
      run()
      this.#database.exec('RELEASE work')
      return true
    } catch (error) {
      this.#database.exec('ROLLBACK TO work')
      this.#database.exec('RELEASE work')
      fail(error)
      return false
    }
  }
}
