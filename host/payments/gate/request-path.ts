/**
 * A path in canonical form, as used to look up resources. Each character has one spelling, and any other reader of
 * the path, such as a file system or another server, resolves it to the same resource.
 */
export interface RequestPath {
  /** Decoded. */
  readonly path: string
  /** As forwarded upstream. */
  readonly encoded: string
  /** Host of an absolute-form target, which takes precedence over the Host header (RFC 9112, 3.2.2). */
  readonly authority?: string
}

/** Scheme and host of an absolute-form target. */
const ABSOLUTE = /^https?:\/\/([^/]*)/i

/**
 * Characters that other readers interpret: separators of Windows, of parameters (RFC 3986, 3.3) and of fragments,
 * nested escapes, characters that end a string or are trimmed from a name.
 */
const AMBIGUOUS = /[/\\;#?%\p{Cc}]|^\s|[\s.]$/u

/** Decodes a path segment; undefined if it is invalid or ambiguous. */
function decodeSegment(text: string): string | undefined {
  try {
    const segment = decodeURIComponent(text)
    return AMBIGUOUS.test(segment) ? undefined : segment
  } catch {
    // Invalid escapes, or not UTF-8.
    return undefined
  }
}

/**
 * Parses the path of a request target; undefined if no resource can have it. Nothing is corrected: `//`, `.`, `..`
 * and escaped slashes are rejected.
 */
export function requestPath(target: string): RequestPath | undefined {
  const authority = ABSOLUTE.exec(target)?.[1]
  const written = authority === undefined ? target : target.replace(ABSOLUTE, '') || '/'
  if (!/^\/[\x21-\x7e]*$/.test(written)) return undefined
  const raw = written.slice(1).split('/')
  const segments: string[] = []
  for (const [at, text] of raw.entries()) {
    // An empty segment is a trailing slash, allowed only at the end.
    if (text === '' && at < raw.length - 1) return undefined
    const segment = decodeSegment(text)
    if (segment === undefined) return undefined
    segments.push(segment)
  }
  return {
    path: `/${segments.join('/')}`,
    encoded: `/${segments.map(encodeURIComponent).join('/')}`,
    ...(authority !== undefined && { authority }),
  }
}
