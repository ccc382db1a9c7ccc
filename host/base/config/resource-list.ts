import { type ListProblem, optionalKey, requiredKey } from './config-key.ts'
import { choice, httpMethods, httpUrl, text, tokenAmount, urlPath } from './value-type.ts'

/** Paths of the gate itself. */
export const OWN_PATHS: readonly string[] = ['/_payments', '/verify', '/settle', '/supported']

const KEYS = {
  path: requiredKey(
    urlPath(),
    '/report',
    'path under which it is sold; of a folder or an upstream, with all below it',
  ),
  price: requiredKey(
    tokenAmount(),
    '0.001',
    'price of a request in tokens, with at most their decimals',
  ),
  root: optionalKey(
    text('FILE'),
    '',
    'file or folder that is served; a relative path is below the home',
    'report.json',
  ),
  upstream: optionalKey(
    httpUrl(),
    '',
    'server that requests are passed on to, such as http://127.0.0.1:3000; in place of root',
  ),
  description: optionalKey(
    text('TEXT'),
    '',
    'what it is, for who has to decide whether to pay',
    'A report',
  ),
  'media-type': optionalKey(
    text('TYPE'),
    '',
    "media type; empty means by a file's name, and application/json of an upstream",
  ),
  style: optionalKey(
    choice('STYLE', ['contract', 'x402']),
    'contract',
    "body of the 402: contract has the resource as a path, x402 as v1's absolute URL; v2's header comes with both",
  ),
  methods: optionalKey(httpMethods(), ['GET'], 'HTTP methods that are sold; HEAD comes with GET'),
}

interface Table {
  readonly path: string
  readonly root: string
  readonly upstream: string
  readonly methods: readonly string[]
}

function* problemsOf(tables: readonly Table[]): Generator<ListProblem> {
  const seen = new Set<string>()
  for (const [table, { path, root, upstream, methods }] of tables.entries()) {
    if ((root === '') === (upstream === '')) {
      const message = `${path} has ${root === '' ? 'neither root nor upstream' : 'both root and upstream'}`
      yield {
        table,
        message,
        hint: 'write one of the two: root is a file or a folder, upstream a server',
      }
    }
    if (root !== '' && methods.join() !== 'GET') {
      const message = `methods of ${path} are ${methods.join(', ')}`
      yield {
        table,
        name: 'methods',
        message,
        hint: 'files are sold under GET alone: leave methods out',
      }
    }
    if (OWN_PATHS.includes(path)) {
      yield {
        table,
        name: 'path',
        message: `path = "${path}" is a page of the gate`,
        hint: 'choose another path',
      }
    }
    // Whoever stands behind two such paths may take them for one.
    const folded = path.toLowerCase()
    if (seen.has(folded)) {
      const message = `path = "${path}" is sold by another table`
      yield {
        table,
        name: 'path',
        message,
        hint: 'a path has one table, whichever case its letters have',
      }
    }
    seen.add(folded)
  }
}

/** What is sold, and for how much. */
export const RESOURCE_LIST = {
  help: 'a resource that is sold; there may be any number of these tables',
  keys: KEYS,
  // The loader gives what the types of the keys decode.
  check: (tables: readonly Readonly<Record<string, unknown>>[]): readonly ListProblem[] => [
    ...problemsOf(tables as unknown as readonly Table[]),
  ],
} as const
