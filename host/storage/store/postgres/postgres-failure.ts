import { type ErrorCode, LockstepError, messageOf } from '../../../base/error.ts'

/** The first matching prefix of a SQLSTATE decides (PostgreSQL documentation, appendix A). */
const STATES: readonly (readonly [string, ErrorCode, string | undefined])[] = [
  ['53100', 'STORE_FULL', 'free disk space of the database: no restart is needed'],
  ['53', 'SERVER_BUSY', 'raise max_connections or the memory of the database'],
  ['28', 'STORE_DENIED', 'correct the user and the password of the URL'],
  ['42501', 'STORE_DENIED', "grant the URL's user the right to create a schema in the database"],
  ['25006', 'STORE_DENIED', 'name the primary server: this one accepts no writes'],
  ['3D000', 'STORE_UNREACHABLE', 'create the database, or correct its name'],
  ['XX001', 'STORE_CORRUPTED', 'restore the database from a backup'],
  ['XX002', 'STORE_CORRUPTED', 'rebuild the index that the message names'],
  ['08', 'STORE_UNREACHABLE', undefined],
  ['57', 'STORE_UNREACHABLE', undefined],
  ['55P03', 'SERVER_BUSY', undefined],
  ['40', 'SERVER_BUSY', undefined],
]

/** Returns the SQLSTATE of an error that the server reported; undefined if the connection failed. */
export function sqlState(thrown: unknown): string | undefined {
  const { code, severity } = thrown as { code?: unknown; severity?: unknown }
  return typeof code === 'string' && severity !== undefined ? code : undefined
}

/**
 * Returns the error of a database in this project's terms. The driver's errors repeat neither URL nor password, and
 * neither does the message.
 * @param name the database, for messages
 */
export function postgresFailure(name: string, thrown: unknown): unknown {
  if (thrown instanceof LockstepError) return thrown
  const state = sqlState(thrown)
  const message = `${name}: ${messageOf(thrown) || String((thrown as { code?: unknown }).code)}`
  if (state === undefined) return new LockstepError('STORE_UNREACHABLE', message)
  const [, code, hint] = STATES.find(([prefix]) => state.startsWith(prefix)) ?? []
  if (code === undefined) return thrown
  return new LockstepError(code, message, hint === undefined ? {} : { hint })
}
