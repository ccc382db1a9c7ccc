import type { DatabaseSync } from 'node:sqlite'
import { LockstepError } from '../../../base/error.ts'

/**
 * Migrates the tables of one part of a database to their latest schema. Each step runs once and in order; never
 * change an existing step.
 * @throws STORE_BACKEND_CHANGED if a newer version has written it
 */
export function migrate(database: DatabaseSync, part: string, steps: readonly string[]): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS schema_versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT',
  )
  database.exec('BEGIN IMMEDIATE')
  try {
    const row = database.prepare('SELECT version FROM schema_versions WHERE part = ?').get(part)
    const version = Number(row?.version ?? 0)
    if (version > steps.length) {
      throw new LockstepError(
        'STORE_BACKEND_CHANGED',
        `the tables of ${part} have version ${version}, but this program knows only versions up to ${steps.length}`,
        { hint: 'run the newer program that wrote them, or restore a backup' },
      )
    }
    for (const step of steps.slice(version)) database.exec(step)
    database
      .prepare('INSERT OR REPLACE INTO schema_versions (part, version) VALUES (?, ?)')
      .run(part, steps.length)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
