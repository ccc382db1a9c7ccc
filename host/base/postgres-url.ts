const SCHEME = /^postgres(?:ql)?:\/\//

/** A URL whose host is a parameter, such as that of a socket. */
const LOCAL = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?(\/[^?#]*)(?:\?|$)/

/**
 * Returns the name of a database for messages: its host, port and name, without user, password and parameters.
 * Undefined if the text is not the URL of a PostgreSQL database.
 */
export function postgresName(url: string): string | undefined {
  if (!SCHEME.test(url)) return undefined
  const local = LOCAL.exec(url)?.[1]
  if (local !== undefined) return `postgres://${local}`
  const parsed = URL.parse(url.replace(SCHEME, 'http://'))
  if (parsed === null) return undefined
  const { hostname, port, pathname } = parsed
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}

/** Returns the user's password in a URL, as written; undefined if it has none. */
export function passwordIn(url: string): string | undefined {
  return /^[^/]*:\/\/[^:/?#]*:([^/?#]*)@/.exec(url)?.[1]
}
