import { LockstepError } from '../../base/error.ts'
import type { CallExample } from '../protocol/bazaar.ts'
import type { ChallengeStyle } from '../protocol/terms.ts'
import { readPath } from './path-readings.ts'

/** Price of a route. */
export interface RoutePrice {
  /** In whole tokens, such as '0.001'. */
  readonly price: string
  readonly description?: string
  /** Media type of the response, such as application/json. */
  readonly mediaType?: string
  /** Body of the 402: `contract` names the path, `x402` (v1) the URL. Default: x402. */
  readonly style?: ChallengeStyle
  /**
   * Prices in other tokens with EIP-3009 by their contracts, such as `{ '0x...': '0.05' }`. x402 v2 offers them after
   * `price`; they need `settlement`.
   */
  readonly otherPrices?: Readonly<Record<string, string>>
  /** Describes the route to facilitators (bazaar extension of x402 v2), with an example of a call. */
  readonly discovery?: CallExample
}

/**
 * Prices by route: `/weather` for every method, `GET /weather` for GET and HEAD. A segment `:name` or `[name]`
 * matches any one segment; a final `*` matches the path itself and everything below. The value may be the price
 * alone.
 */
export type RouteTable = Readonly<Record<string, string | RoutePrice>>

export interface PricedRoute extends RoutePrice {
  /** As configured. It names the resource. */
  readonly path: string
  /** Undefined for every method. */
  readonly method: string | undefined
}

type Segment = { readonly literal: string } | 'one' | 'rest'

interface Pattern {
  readonly route: PricedRoute
  readonly segments: readonly Segment[]
}

const ROUTE = /^(?:([A-Z]+)\s+)?(\/\S*)$/
const LITERAL = /^[^:*[\]{}()?#\\]+$/

function invalid(route: string, rule: string): LockstepError {
  return new LockstepError('CONFIG_INVALID', `routes: '${route}' ${rule}`, {
    hint: "write '/path', 'GET /path', '/path/:name' or '/path/*'",
  })
}

function parseSegment(route: string, text: string, isLast: boolean): Segment {
  if (text === '*') {
    if (isLast) return 'rest'
    throw invalid(route, 'has * before its end')
  }
  if (/^(?::\w+|\[\w+\])$/.test(text)) return 'one'
  if (!LITERAL.test(text) || text === '.' || text === '..') {
    throw invalid(route, `has the segment '${text}', which is neither a name, :name, [name] nor *`)
  }
  const { router, files } = readPath(`/${text}`)
  const [literal = ''] = router
  if (router.length !== 1 || files.length !== 1 || files[0] !== literal) {
    throw invalid(route, `has the segment '${text}', which can be read in two ways`)
  }
  return { literal }
}

function parseRoute(key: string, price: string | RoutePrice): Pattern {
  const [, method, path = ''] = ROUTE.exec(key) ?? []
  if (path === '') throw invalid(key, 'is not a route')
  if (method === 'HEAD' || method === 'OPTIONS') {
    throw invalid(key, `is of ${method}, which never reaches a paid handler`)
  }
  const texts = path.replace(/\/$/, '').split('/').slice(1)
  const segments = texts.map((text, at) => parseSegment(key, text, at === texts.length - 1))
  const row = typeof price === 'string' ? { price } : price
  return { route: { ...row, path, method }, segments }
}

/** Returns a key that is equal for equivalent patterns of one method. */
function rank({ segments }: Pattern): string {
  const letters = { one: 'b', rest: 'c' } as const
  return segments
    .map((one) => (typeof one === 'string' ? letters[one] : `a${one.literal}/`))
    .join('')
}

/** Orders literal segments before parameters before `*`, and a specific method before any method. */
function bySpecificity(a: Pattern, b: Pattern): number {
  for (let at = 0; at < Math.max(a.segments.length, b.segments.length); at++) {
    const difference = weight(b.segments[at]) - weight(a.segments[at])
    if (difference !== 0) return difference
  }
  return Number(a.route.method === undefined) - Number(b.route.method === undefined)
}

function weight(segment: Segment | undefined): number {
  if (segment === undefined) return 1
  if (segment === 'rest') return 0
  return segment === 'one' ? 2 : 3
}

function matches({ segments }: Pattern, path: readonly string[]): boolean {
  const isTree = segments.at(-1) === 'rest'
  const count = isTree ? segments.length - 1 : segments.length
  if (isTree ? path.length < count : path.length !== count) return false
  return segments.slice(0, count).every((segment, at) => {
    return typeof segment === 'string' || segment.literal === path[at]
  })
}

/** HEAD reads what GET serves, and OPTIONS asks about a path. */
function isFor(method: string, { route }: Pattern): boolean {
  if (route.method === undefined || method === 'OPTIONS') return true
  return route.method === (method === 'HEAD' ? 'GET' : method)
}

/** Finds the priced route of a request. */
export class PricedRoutes {
  readonly #patterns: readonly Pattern[]

  /** @throws CONFIG_INVALID if a route is invalid, or if a router could not tell two routes apart */
  constructor(table: RouteTable) {
    this.#patterns = Object.entries(table)
      .map(([key, price]) => parseRoute(key, price))
      .sort(bySpecificity)
    const known = new Map<string, string>()
    for (const pattern of this.#patterns) {
      const { path, method = 'every method' } = pattern.route
      const name = `${method} ${rank(pattern)}`
      const other = known.get(name)
      if (other !== undefined) throw invalid(path, `is the same route as '${other}'`)
      known.set(name, path)
    }
  }

  get routes(): readonly PricedRoute[] {
    return this.#patterns.map(({ route }) => route)
  }

  /**
   * Returns the route of a request, or undefined if it has no price. Returns 'ambiguous' if the router's and the file
   * server's reading of the path match different routes.
   */
  find(method: string, path: string): PricedRoute | 'ambiguous' | undefined {
    const { router, files } = readPath(path)
    const route = this.#match(method, router)
    return route === this.#match(method, files) ? route : 'ambiguous'
  }

  #match(method: string, path: readonly string[]): PricedRoute | undefined {
    return this.#patterns.find((pattern) => isFor(method, pattern) && matches(pattern, path))?.route
  }
}
