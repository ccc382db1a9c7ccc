/**
 * Normalised segments of a path in both readings: routers split a path and then decode, file servers decode and then
 * split. The sender of a path must not choose which reading sets its price.
 */
export interface PathReadings {
  readonly router: readonly string[]
  readonly files: readonly string[]
}

/** Scheme and host of a target in absolute form (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/[\w.:[\]-]*(?=[/?]|$)/i

/**
 * A path with an optional query. Characters that parsers read differently are excluded: URL parsers strip white
 * space, take `\` for `/` and end a path at `#`.
 */
const TARGET = /^(\/[^?]*)?(\?.*)?$/
const ODD = /[^\x21-\x7e]|[#\\]/

/**
 * Splits a request target into its path, still encoded, and its query. Returns undefined if the target is invalid or
 * parsers would read it in several ways.
 */
export function splitTarget(target: string): { path: string; query: string } | undefined {
  if (ODD.test(target)) return undefined
  const match = TARGET.exec(target.replace(ABSOLUTE, ''))
  if (match === null) return undefined
  const [, path = '/', query = ''] = match
  return { path, query }
}

/** Decodes valid UTF-8 escapes and leaves the rest, as routers do. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** Decodes repeatedly until nothing changes. */
function decodeWholly(text: string): string {
  const decoded = decode(text)
  return decoded === text ? text : decodeWholly(decoded)
}

/**
 * Folds a segment to one spelling for all that a router or file system may treat as equal, ignoring case. Lower case
 * comes first, since two characters may share one upper case (σ and ς).
 */
export function foldSegment(segment: string): string {
  return segment.normalize('NFKC').toLowerCase().toUpperCase()
}

/** Most routers ignore a trailing slash. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/')
  segments.shift()
  if (segments.at(-1) === '') segments.pop()
  return segments
}

function walk(segments: readonly string[]): string[] {
  const walked: string[] = []
  for (const segment of segments) {
    if (segment === '..') walked.pop()
    else if (segment !== '' && segment !== '.') walked.push(segment)
  }
  return walked
}

/** Returns both readings of a path. @param path begins with a slash and has no query */
export function readPath(path: string): PathReadings {
  const files = walk(decodeWholly(path).replaceAll('\\', '/').split('/'))
  return {
    router: segmentsOf(path).map((segment) => foldSegment(decode(segment))),
    files: files.map(foldSegment),
  }
}
