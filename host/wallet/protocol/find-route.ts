import { type RouteName, WALLET_ROUTES, type WalletRoute } from './route-table.ts'
import { ID_PATTERN } from './value-shapes.ts'

export interface FoundRoute {
  readonly name: RouteName
  readonly route: WalletRoute
  /** Values of the path parameters, such as `{wallet_id}`. */
  readonly ids: Readonly<Record<string, string>>
}

interface Row {
  readonly name: RouteName
  readonly route: WalletRoute
  readonly segments: readonly string[]
}

// Fixed segments first: /v1/wallets/address is not a wallet id.
const ROWS: readonly Row[] = (Object.entries(WALLET_ROUTES) as [RouteName, WalletRoute][])
  .map(([name, route]) => ({ name, route, segments: route.path.split('/').slice(1) }))
  .sort((one, other) => holes(one) - holes(other))

function holes({ segments }: Row): number {
  return segments.filter(isHole).length
}

function isHole(segment: string): boolean {
  return segment.startsWith('{')
}

/** Splits a path. Drops the prefix `/api` and a trailing slash. */
function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(1)
  if (segments[0] === 'api') segments.shift()
  if (segments.at(-1) === '') segments.pop()
  return segments
}

function idsOf(row: Row, segments: readonly string[]): Record<string, string> | undefined {
  if (row.segments.length !== segments.length) return undefined
  const ids: Record<string, string> = {}
  for (const [i, wanted] of row.segments.entries()) {
    const found = segments[i] as string
    if (!isHole(wanted)) {
      if (found !== wanted) return undefined
    } else if (ID_PATTERN.test(found)) {
      ids[wanted.slice(1, -1)] = found
    } else return undefined
  }
  return ids
}

/**
 * Returns the route of a path without query. If the path has only other methods, returns those; undefined for an
 * unknown path.
 */
export function findRoute(
  method: string,
  path: string,
): FoundRoute | { readonly allowed: readonly string[] } | undefined {
  const segments = segmentsOf(path)
  const allowed: string[] = []
  for (const row of ROWS) {
    const ids = idsOf(row, segments)
    if (ids === undefined) continue
    if (row.route.method === method) return { name: row.name, route: row.route, ids }
    if (!allowed.includes(row.route.method)) allowed.push(row.route.method)
  }
  return allowed.length === 0 ? undefined : { allowed }
}
