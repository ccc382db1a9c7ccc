import { type ListProblem, optionalKey, requiredKey } from './config-key.ts'
import {
  bool,
  choice,
  exampleJson,
  exampleQuery,
  httpMethods,
  httpUrl,
  priceList,
  textType,
  tokenAmountType,
  urlPath,
} from './value-type.ts'

/** Reserved paths of the payment gate. */
export const OWN_PATHS: readonly string[] = [
  '/_payments',
  '/verify',
  '/settle',
  '/supported',
  '/discovery/resources',
]

const KEYS = {
  path: requiredKey(
    urlPath(),
    '/report',
    'path of the sold resource; for a folder or an upstream, everything below it too',
  ),
  price: requiredKey(
    tokenAmountType(),
    '0.001',
    "price of a request in tokens, with at most the token's decimals",
  ),
  root: optionalKey(
    textType('FILE'),
    '',
    'file or folder to serve; a relative path is below the home',
    'report.json',
  ),
  upstream: optionalKey(
    httpUrl(),
    '',
    'server that requests are forwarded to, such as http://127.0.0.1:3000; instead of root',
  ),
  description: optionalKey(textType('TEXT'), '', 'description for buyers', 'A report'),
  'media-type': optionalKey(
    textType('TYPE'),
    '',
    "media type; empty derives it from a file's name, and means application/json for an upstream",
  ),
  style: optionalKey(
    choice('STYLE', ['contract', 'x402']),
    'contract',
    "body of the 402: contract gives the resource as a path, x402 as v1's absolute URL; v2's header comes with both",
  ),
  methods: optionalKey(httpMethods(), ['GET'], 'HTTP methods that are sold; GET includes HEAD'),
  'other-prices': optionalKey(
    priceList(),
    [],
    'prices in other tokens with EIP-3009, each as amount and contract; x402 v2 offers them after price',
  ),
  discovery: optionalKey(
    bool(),
    false,
    'list the resource at /discovery/resources, and describe it to facilitators (bazaar extension of x402 v2)',
  ),
  'example-query': optionalKey(
    exampleQuery(),
    '',
    'query parameters of an example call such as city=Lisbon, for discovery',
  ),
  'example-body': optionalKey(
    exampleJson(),
    '',
    'JSON body of an example call, for discovery and methods other than GET and DELETE',
  ),
  'example-response': optionalKey(
    exampleJson(),
    '',
    'JSON response to an example call, for discovery',
  ),
}

interface Table {
  readonly path: string
  readonly root: string
  readonly upstream: string
  readonly methods: readonly string[]
  readonly otherPrices: readonly { readonly asset: string }[]
  readonly discovery: boolean
  readonly exampleQuery: string
  readonly exampleBody: string
  readonly exampleResponse: string
}

/** Problems of what x402 v2 alone offers. */
function* extensionProblems(table: number, resource: Table): Generator<ListProblem> {
  const { path, otherPrices, discovery, exampleQuery, exampleBody, exampleResponse } = resource
  const assets = otherPrices.map(({ asset }) => asset.toLowerCase())
  const twice = assets.find((asset, at) => assets.indexOf(asset) !== at)
  if (twice !== undefined) {
    const message = `other-prices of ${path} have two prices in ${twice}`
    yield { table, name: 'other-prices', message, hint: 'write one price for each token' }
  }
  const examples = `${exampleQuery}${exampleBody}${exampleResponse}`
  if (!discovery && examples !== '') {
    const message = `${path} has an example call, and discovery is false`
    yield { table, name: 'discovery', message, hint: 'write discovery = true, or no examples' }
  }
}

function* problemsOf(tables: readonly Table[]): Generator<ListProblem> {
  const seen = new Set<string>()
  for (const [table, resource] of tables.entries()) {
    const { path, root, upstream, methods } = resource
    yield* extensionProblems(table, resource)
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
        hint: 'files are sold with GET only: leave methods out',
      }
    }
    if (OWN_PATHS.includes(path)) {
      yield {
        table,
        name: 'path',
        message: `path = "${path}" is reserved for the payment gate`,
        hint: 'choose another path',
      }
    }
    // A server behind the gate may treat paths that differ only in case as one.
    const folded = path.toLowerCase()
    if (seen.has(folded)) {
      const message = `path = "${path}" is sold by another table`
      yield {
        table,
        name: 'path',
        message,
        hint: 'paths are compared without case: keep one of the tables',
      }
    }
    seen.add(folded)
  }
}

/** The resources for sale and their prices. */
export const RESOURCE_LIST = {
  help: 'a resource for sale; any number of these tables is allowed',
  keys: KEYS,
  // The loader passes tables decoded by the types of the keys.
  check: (tables: readonly Readonly<Record<string, unknown>>[]): readonly ListProblem[] => [
    ...problemsOf(tables as unknown as readonly Table[]),
  ],
} as const
