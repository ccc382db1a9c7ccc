import { formatPage, parsePage, type ViewPage } from './page.ts'
import type { ViewParameter } from './parameter.ts'
import { PARAMETERS, type ParameterName, type ParameterValues } from './parameters.ts'

/** All state that decides what the explorer shows, and that its link contains. */
export type View = { readonly page: ViewPage } & ParameterValues

/** A view with only the parameters that differ from the fallbacks. */
export type PartialView = { readonly page: ViewPage } & Partial<ParameterValues>

const NAMES = Object.keys(PARAMETERS) as ParameterName[]

function parameter(name: ParameterName): ViewParameter<unknown> {
  return PARAMETERS[name] as ViewParameter<unknown>
}

export function fullView({ page, ...values }: PartialView): View {
  const fallbacks = Object.fromEntries(NAMES.map((name) => [name, parameter(name).fallback]))
  return { ...fallbacks, ...values, page } as View
}

/** Parses a route: a path, and parameters after a question mark. Invalid parameters are ignored. */
export function parseRoute(route: string): View {
  const cut = route.indexOf('?')
  const page = parsePage(cut < 0 ? route : route.slice(0, cut))
  const given = new URLSearchParams(cut < 0 ? '' : route.slice(cut + 1))
  const values: Record<string, unknown> = {}
  for (const name of NAMES) {
    const text = given.get(name)
    const value = text === null ? undefined : parameter(name).parse(text)
    values[name] = value === undefined ? parameter(name).fallback : value
  }
  return { page, ...values } as View
}

/** Returns the canonical route of a view: equal views have equal routes. */
export function formatRoute(view: View): string {
  const given = new URLSearchParams()
  for (const name of NAMES) {
    const { fallback, format } = parameter(name)
    const text = format(view[name])
    if (text !== format(fallback)) given.set(name, text)
  }
  const query = given.toString().replaceAll('%3A', ':').replaceAll('%2F', '/')
  return query === '' ? formatPage(view.page) : `${formatPage(view.page)}?${query}`
}
