import type { DatabaseSync } from 'node:sqlite'
import { sqliteFailure } from './sqlite-failure.ts'
import { registerSums } from './table-sums.ts'

/** A commit takes milliseconds; a longer wait means that another process hangs. */
const LONGEST_WAIT_MS = 10_000

/** Loads the module without its warning about an unstable API: the parts in use have not changed since 22.13. */
export function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Opens a database that several processes may have open. What is committed is on disk when the commit returns.
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new (loadSqlite().DatabaseSync)(path)
    database.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    database.exec('PRAGMA foreign_keys = ON')
    // Otherwise no trigger runs for rows that INSERT OR REPLACE removes.
    database.exec('PRAGMA recursive_triggers = ON')
    // Temporary data of statements contains rows too, and a killed process leaves such files in the temporary folder.
    database.exec('PRAGMA temp_store = MEMORY')
    registerSums(database)
    return database
  } catch (thrown) {
    database?.close()
    throw sqliteFailure(path, thrown)
  }
}
