const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)$/i

/** The target of a request: its path and query, and the authority that overrides Host, if present. */
export interface RequestTarget {
  readonly target: string
  readonly authority: string | undefined
}

/**
 * Parses a request target in origin form, in absolute form (RFC 9112, 3.2.2) or, for OPTIONS, the asterisk (3.2.4).
 * Returns undefined for any other.
 */
export function readTarget(method: string, target: string): RequestTarget | undefined {
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) {
    return { target, authority: undefined }
  }
  const [, authority, rest] = ABSOLUTE.exec(target) ?? []
  // http and https require a host, and Host must not replace a missing one (RFC 9110, 4.2.1).
  if (authority === undefined || rest === undefined || authority === '') return undefined
  return { target: rest.startsWith('/') ? rest : `/${rest}`, authority }
}
