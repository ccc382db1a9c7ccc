/**
 * A path as resources are looked up by it: each of its characters is written in one way, and whoever reads it again,
 * as a file or on another server, comes to the same one.
 */
export interface RequestPath {
  /** Decoded. */
  readonly path: string
  /** As it is passed on. */
  readonly encoded: string
  /** Host of a target in absolute form, which counts before the Host header (RFC 9112, 3.2.2). */
  readonly authority?: string
}

/** The scheme and the host of a target in absolute form. */
const ABSOLUTE = /^https?:\/\/([^/]*)/i

/**
 * What other readers of a path take for something else: separators of Windows, of parameters (RFC 3986, 3.3) and of
 * fragments, an escape within an escape, characters that end a string or are cut off at the end of a name.
 */
const AMBIGUOUS = /[/\\;#?%\p{Cc}]|^\s|[\s.]$/u

/** A segment as a path writes it; undefined where it is none, or has more than one meaning. */
function decodeSegment(text: string): string | undefined {
  try {
    const segment = decodeURIComponent(text)
    return AMBIGUOUS.test(segment) ? undefined : segment
  } catch {
    // No escapes, or not of UTF-8.
    return undefined
  }
}

/**
 * The path of a request's target; undefined where it is none under which anything is sold. Nothing is corrected:
 * `//`, `.`, `..` and slashes in escapes have no place in it.
 */
export function requestPath(target: string): RequestPath | undefined {
  const authority = ABSOLUTE.exec(target)?.[1]
  const written = authority === undefined ? target : target.replace(ABSOLUTE, '') || '/'
  if (!/^\/[\x21-\x7e]*$/.test(written)) return undefined
  const raw = written.slice(1).split('/')
  const segments: string[] = []
  for (const [at, text] of raw.entries()) {
    // Empty at the end alone: that is a slash at the end.
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
