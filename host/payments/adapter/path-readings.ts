/**
 * The segments of a path as its two kinds of readers take it, each spelt in one way: routers split a path and then
 * decode, file servers decode and then split. Who sends a path must not choose which of the two decides its price.
 */
export interface PathReadings {
  readonly router: readonly string[]
  readonly files: readonly string[]
}

/** Scheme and host of a target in absolute form (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/[\w.:[\]-]*(?=[/?]|$)/i

/**
 * A path, and its query, of characters that every reader takes alike: parsers of URLs cut off white space, take `\`
 * for `/` and end a path at `#`.
 */
const TARGET = /^(\/[^?]*)?(\?.*)?$/
const ODD = /[^\x21-\x7e]|[#\\]/

/**
 * The path of a request's target, still encoded, with its query apart; undefined where it is none, or one that parsers
 * read in several ways.
 */
export function splitTarget(target: string): { path: string; query: string } | undefined {
  if (ODD.test(target)) return undefined
  const match = TARGET.exec(target.replace(ABSOLUTE, ''))
  if (match === null) return undefined
  const [, path = '/', query = ''] = match
  return { path, query }
}

/** Decodes what is an escape of UTF-8 and leaves the rest, as routers do. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** Decodes what was encoded once or more often. */
function decodeWholly(text: string): string {
  const decoded = decode(text)
  return decoded === text ? text : decodeWholly(decoded)
}

/**
 * One spelling for those that a router, or a file system, may take for the same: without regard to case. By lower case
 * first, since two characters may share the upper one alone (σ and ς).
 */
export function foldSegment(segment: string): string {
  return segment.normalize('NFKC').toLowerCase().toUpperCase()
}

/** A slash at the end is of no account to most routers. */
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

/** @param path begins with a slash, and has no query */
export function readPath(path: string): PathReadings {
  const files = walk(decodeWholly(path).replaceAll('\\', '/').split('/'))
  return {
    router: segmentsOf(path).map((segment) => foldSegment(decode(segment))),
    files: files.map(foldSegment),
  }
}
