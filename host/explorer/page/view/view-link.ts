import { formatRoute, parseRoute, type View } from './view.ts'

/** What of a `URL` a view is read from. */
export interface Place {
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

/** Servers take a request line of some 8 kB at the least; a longer route goes behind the #, which is not sent. */
const LONGEST_PATH = 2_000

/**
 * The view that a place shows. `base` is the path below which the server gives the page for every path
 * (`/explorer`); undefined for a page that lies somewhere as a file. What is behind # wins.
 */
export function viewAt(place: Place, base: string | undefined): View {
  if (place.hash.startsWith('#/')) return parseRoute(place.hash.slice(1))
  if (base === undefined || !place.pathname.startsWith(base)) return parseRoute('/')
  return parseRoute(`${place.pathname.slice(base.length) || '/'}${place.search}`)
}

/** The reference that leads to a view, for an anchor of the page. */
export function linkTo(view: View, base: string | undefined, pathname: string): string {
  const route = formatRoute(view)
  if (base === undefined) return `${pathname}#${route}`
  return route.length > LONGEST_PATH ? `${base}/#${route}` : `${base}${route}`
}
