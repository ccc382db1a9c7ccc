type Headers = Readonly<Record<string, string>>

/** Lists, to which what a payment needs is added. */
const LISTS: readonly string[] = ['vary', 'access-control-expose-headers']

/** Which pages may read an answer is for the application to say, where it does. */
const DEFAULTS: readonly string[] = ['access-control-allow-origin']

function addToList(list: string | null | undefined, items: string): string {
  const names = `${list ?? ''},${items}`.split(',').map((name) => name.trim())
  const known = new Map(names.filter((name) => name !== '').map((one) => [one.toLowerCase(), one]))
  return known.has('*') ? '*' : [...known.values()].join(', ')
}

/**
 * The value that a header of a payment gives to a response: nothing of it may be lost, whatever the handler has set,
 * or caches keep what others paid for.
 * @param present what the response has under that name
 */
export function enforcedValue(name: string, value: string, present: string | null): string {
  if (LISTS.includes(name)) return addToList(present, value)
  return DEFAULTS.includes(name) ? (present ?? value) : value
}

/** What is needed of a response of Node. */
export interface HeadedResponse {
  setHeader(name: string, value: string): unknown
  getHeader(name: string): string | number | readonly string[] | undefined
  // biome-ignore lint/suspicious/noExplicitAny: Node's overloads are taken as they come and passed on
  writeHead: (status: number, first?: any, second?: any) => any
}

/** Sets headers of a payment on a response now, as `enforcedValue` has them. */
export function setHeaders(response: HeadedResponse, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    const present = response.getHeader(name)?.toString() ?? null
    response.setHeader(name, enforcedValue(name, value, present))
  }
}

/** `writeHead` takes headers as an object, as pairs, or as names and values in turn. */
type GivenHeaders = Readonly<Record<string, unknown>> | readonly unknown[]

function pairsOf(given: GivenHeaders): readonly (readonly [name: string, value: unknown])[] {
  if (!Array.isArray(given)) return Object.entries(given)
  if (given.every(Array.isArray)) return given as [string, unknown][]
  const names = given.filter((_, at) => at % 2 === 0)
  return names.map((name, at) => [String(name), given[2 * at + 1]])
}

/** Sets headers of a payment when those of the response go out, whichever handler has set others by then. */
export function enforceHeaders(response: HeadedResponse, headers: Headers): void {
  const { writeHead } = response
  response.writeHead = (status, first, second) => {
    response.writeHead = writeHead
    const message = typeof first === 'string' ? [first] : []
    const pairs = pairsOf(second ?? (typeof first === 'string' ? undefined : first) ?? {})
    const others: unknown[] = []
    for (const [name, value] of pairs) {
      if (Object.hasOwn(headers, name.toLowerCase())) response.setHeader(name, String(value))
      else others.push(name, value)
    }
    setHeaders(response, headers)
    return writeHead.call(response, status, ...message, others)
  }
}
