import { LockstepError } from '../../../base/error.ts'

const SCHEME = /^postgres(?:ql)?:\/\//

/** Returns whether a text names a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return SCHEME.test(text)
}

/**
 * Returns the name of a database for messages: its host, port and name, without user, password and parameters.
 * @throws CONFIG_INVALID if the URL cannot be parsed; the message does not repeat it
 */
export function databaseName(url: string): string {
  const parsed = isPostgresUrl(url) ? URL.parse(url.replace(SCHEME, 'http://')) : null
  // A socket: the host is a parameter
  const local = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?(\/[^?#]*)(?:\?|$)/.exec(url)?.[1]
  if (parsed === null && local === undefined) {
    throw new LockstepError('CONFIG_INVALID', 'the URL of the database is not valid', {
      hint: 'write postgres://USER:PASSWORD@HOST:5432/DATABASE; write special characters of the password as %-escapes',
    })
  }
  if (local !== undefined) return `postgres://${local}`
  const { hostname, port, pathname } = parsed as URL
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
