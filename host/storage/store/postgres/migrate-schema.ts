import { createHash } from 'node:crypto'
import { LockstepError } from '../../../base/error.ts'
import type { PostgresQuery, PostgresSession } from './postgres-session.ts'

/** Returns the key of the lock under which one process at a time changes a schema. */
function lockOf(schema: string): bigint {
  return createHash('sha256').update(`lockstep ${schema}`).digest().readBigInt64BE()
}

async function appliedCount(query: PostgresQuery, schema: string): Promise<number> {
  // Reads the catalog: to_regclass would answer from a cache that is not renewed while a transaction waits for a lock
  const [found] = await query(
    `select exists (select from pg_catalog.pg_tables
       where schemaname = $1 and tablename = 'migrations') as "isThere"`,
    [schema],
  )
  if (found?.isThere !== true) return 0
  const [last] = await query(`select coalesce(max(number), 0) as number from ${schema}.migrations`)
  return Number(last?.number)
}

/**
 * Brings a schema to the last of its migrations, which are numbered from 1. Each is applied once, whichever process
 * is first.
 * @param migrations SQL; those that a release has applied never change
 * @throws CONFIG_INVALID if a later release has changed the schema, or the server does not sync its disk
 */
export async function migrateSchema(
  session: PostgresSession,
  schema: string,
  migrations: readonly string[],
): Promise<void> {
  await session.transaction(async (query) => {
    const [setting] = await query(`select current_setting('fsync') as fsync`)
    if (setting?.fsync !== 'on') {
      throw new LockstepError('CONFIG_INVALID', `${session.name} runs with fsync = off`, {
        hint: 'set fsync = on in postgresql.conf: otherwise a power loss takes back what was promised',
      })
    }
    let applied = await appliedCount(query, schema)
    if (applied < migrations.length) {
      await query('select pg_advisory_xact_lock($1)', [lockOf(schema)])
      applied = await appliedCount(query, schema)
    }
    if (applied > migrations.length) {
      throw new LockstepError(
        'CONFIG_INVALID',
        `${session.name} has migration ${applied} of ${schema}, and this release ends at ${migrations.length}`,
        { hint: 'run the later release, as the other servers of this database do' },
      )
    }
    if (applied === 0) {
      await query(`create schema if not exists ${schema}`)
      await query(
        `create table if not exists ${schema}.migrations (
          number integer primary key, applied_at timestamptz not null default now())`,
      )
    }
    for (const [index, sql] of migrations.entries()) {
      if (index < applied) continue
      await query(sql)
      await query(`insert into ${schema}.migrations (number) values ($1)`, [index + 1])
    }
  })
}
