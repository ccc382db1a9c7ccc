import type { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../storage/store/sqlite/sqlite.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS apps (
  id TEXT PRIMARY KEY,
  name TEXT,
  secret_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  rotated_at INTEGER
) STRICT, WITHOUT ROWID;

-- Answers to requests with an idempotency key. The status is null while the request is in progress.
CREATE TABLE IF NOT EXISTS idempotency (
  app_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  begun_at INTEGER NOT NULL,
  status INTEGER,
  answer TEXT,
  PRIMARY KEY (app_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idempotency_by_time ON idempotency (begun_at);
`

/** Opens or creates the database of the API. Several processes may have it open. */
export function openServiceDatabase(path: string): DatabaseSync {
  const database = openDatabase(path)
  database.exec(SCHEMA)
  return database
}
