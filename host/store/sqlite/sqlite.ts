import type { DatabaseSync } from 'node:sqlite'

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

/** A database that several processes may have open, where what is committed is on disk when the commit returns. */
export function openDatabase(path: string): DatabaseSync {
  const database = new (loadSqlite().DatabaseSync)(path)
  database.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA foreign_keys = ON')
  // What statements set aside holds rows too, and a kill left such files in the system's temporary folder.
  database.exec('PRAGMA temp_store = MEMORY')
  return database
}
