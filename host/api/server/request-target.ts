const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)$/i

/** What a request asks for: a path with its query, and the authority that counts in place of Host, if there is one. */
export interface RequestTarget {
  readonly target: string
  readonly authority: string | undefined
}

/**
 * Reads the target of a request in origin form, in absolute form (RFC 9112, 3.2.2) or, of OPTIONS, the asterisk
 * (3.2.4). Undefined for any other.
 */
export function readTarget(method: string, target: string): RequestTarget | undefined {
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) {
    return { target, authority: undefined }
  }
  const [, authority, rest] = ABSOLUTE.exec(target) ?? []
  // http and https want a host, and without one Host must not take its place (RFC 9110, 4.2.1)
  if (authority === undefined || rest === undefined || authority === '') return undefined
  return { target: rest.startsWith('/') ? rest : `/${rest}`, authority }
}
