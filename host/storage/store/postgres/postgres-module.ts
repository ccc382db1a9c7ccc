import type pg from 'pg'
import { LockstepError, messageOf } from '../../../base/error.ts'

const VERSION = '8.23.1'

export type PostgresModule = typeof pg

/**
 * Loads the driver, which only servers that share a database need.
 * @throws UNSUPPORTED if it is not installed or does not run here
 */
export async function loadPostgres(): Promise<PostgresModule> {
  try {
    return (await import('pg')).default
  } catch (thrown) {
    const { code } = thrown as { code?: unknown }
    const reason = code === 'ERR_MODULE_NOT_FOUND' ? 'it is not installed' : messageOf(thrown)
    throw new LockstepError(
      'UNSUPPORTED',
      `a store in PostgreSQL needs the package pg: ${reason}`,
      {
        hint: `npm install --no-save pg@${VERSION}, with --global if lockstep is installed so`,
        cause: thrown,
      },
    )
  }
}
