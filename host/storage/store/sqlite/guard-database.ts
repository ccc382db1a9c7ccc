import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { CommitMark, markPath, readMark } from './commit-mark.ts'
import { openDatabase } from './sqlite.ts'
import { damagedDatabase, sqliteFailure } from './sqlite-failure.ts'
import { countChanges, findAlteredTable, sumTables } from './table-sums.ts'

function problemOf(database: DatabaseSync, path: string): string | undefined {
  database.exec('BEGIN')
  try {
    const [row] = database.prepare('PRAGMA integrity_check(1)').all()
    const said = row?.integrity_check
    if (said !== 'ok') return String(said)
    const marked = readMark(path) ?? 0
    const changes = countChanges(database)
    if (changes < marked) {
      return (
        `it has ${changes} changes of rows, and ${marked} were written: its end is lost, or it is an older copy (to go ` +
        `on with such a copy, remove ${markPath(path)}: spending limits and requests since then are forgotten)`
      )
    }
    return findAlteredTable(database)
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

/**
 * Checks a whole database before its owner opens it: the pages, the rows of each table with a sum, and that nothing
 * is missing at the end.
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL with the file and the remedy
 */
export function verifyDatabase(path: string): void {
  if (!existsSync(path) && readMark(path) === undefined) return
  let problem: string | undefined
  try {
    const database = openDatabase(path)
    try {
      problem = problemOf(database, path)
    } finally {
      database.close()
    }
  } catch (thrown) {
    throw sqliteFailure(path, thrown, { isChecked: true })
  }
  if (problem !== undefined) throw damagedDatabase(path, problem)
}

/**
 * Sets up the detection of damage at the next start. Call it after the tables exist.
 * @param except - Tables that are checked in another way.
 * @returns the mark to update after each commit
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL
 */
export function guardDatabase(
  database: DatabaseSync,
  path: string,
  except: readonly string[] = [],
): CommitMark {
  try {
    sumTables(database, except)
    return new CommitMark(database, path)
  } catch (thrown) {
    throw sqliteFailure(path, thrown)
  }
}
