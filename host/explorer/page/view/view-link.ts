import { formatRoute, parseRoute, type View } from './view.ts'

/** The parts of a `URL` that contain a view. */
export interface UrlParts {
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

/** Servers accept request lines of at least 8 kB; a longer route goes after the #, which is not sent. */
const LONGEST_PATH = 2_000

/**
 * Returns the view of a URL. `base` is the path below which the server returns the page for every path (`/explorer`);
 * undefined for a page opened as a file. A route after # has priority.
 */
export function viewAt(place: UrlParts, base: string | undefined): View {
  if (place.hash.startsWith('#/')) return parseRoute(place.hash.slice(1))
  if (base === undefined || !place.pathname.startsWith(base)) return parseRoute('/')
  return parseRoute(`${place.pathname.slice(base.length) || '/'}${place.search}`)
}

/** Returns the href of a view for a link of the page. */
export function linkTo(view: View, base: string | undefined, pathname: string): string {
  const route = formatRoute(view)
  if (base === undefined) return `${pathname}#${route}`
  return route.length > LONGEST_PATH ? `${base}/#${route}` : `${base}${route}`
}
