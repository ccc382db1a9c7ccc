import type { DatabaseSync } from 'node:sqlite'
import { sqliteFailure } from './sqlite-failure.ts'
import { registerSums } from './table-sums.ts'

/** A commit takes milliseconds; who waits longer has met a process that hangs. */
const LONGEST_WAIT_MS = 10_000

/** Loads the module without the notice that its API may change: what is used of it has stayed the same since 22.13. */
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
 * Opens a database that several processes may have open, where what is committed is on disk when the commit returns.
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
    // Without it no trigger tells that INSERT OR REPLACE has removed a row.
    database.exec('PRAGMA recursive_triggers = ON')
    // What statements set aside holds rows too, and a kill left such files in the system's temporary folder.
    database.exec('PRAGMA temp_store = MEMORY')
    registerSums(database)
    return database
  } catch (thrown) {
    database?.close()
    throw sqliteFailure(path, thrown)
  }
}
