import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'

/** Returns the path of the file that holds a database's number of changes. */
export function markPath(path: string): string {
  return `${path}.mark`
}

const DIGITS = 16

function checkOf(digits: string): string {
  return crc32(digits).toString(16).padStart(8, '0')
}

/** Returns the number of changes that are at least on disk, or undefined if the file is missing or damaged. */
export function readMark(path: string): number | undefined {
  let text: string
  try {
    text = readFileSync(markPath(path), 'latin1')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
  const [, digits = '', check] = /^(\d{16}) ([0-9a-f]{8})\n$/.exec(text) ?? []
  return check === checkOf(digits) ? Number(digits) : undefined
}

/**
 * Writes the number of a database's changes to a separate file after each commit: SQLite cannot tell a truncated or
 * damaged log from one that was never longer. The file is written after the commit is on disk and is not synced
 * itself, so it never exceeds the database's own number.
 */
export class CommitMark {
  readonly #file: number
  readonly #changes: StatementSync

  /** @param database - Its tables must have sums. */
  constructor(database: DatabaseSync, path: string) {
    this.#changes = database.prepare('SELECT coalesce(sum(changes), 0) AS total FROM table_sums')
    this.#file = openSync(markPath(path), 'a+', 0o600)
    closeSync(this.#file)
    this.#file = openSync(markPath(path), 'r+')
    this.note()
  }

  /** Call it after a commit. */
  note(): void {
    const digits = String(this.#changes.get()?.total).padStart(DIGITS, '0')
    try {
      writeSync(this.#file, `${digits} ${checkOf(digits)}\n`, 0, 'latin1')
    } catch {
      // An older mark is still true.
    }
  }

  close(): void {
    closeSync(this.#file)
  }
}
