type Headers = Readonly<Record<string, string>>

/** Headers that are lists: the payment's items are added to the handler's. */
const LISTS: readonly string[] = ['vary', 'access-control-expose-headers']

/** Headers that the application may set itself. */
const DEFAULTS: readonly string[] = ['access-control-allow-origin']

function addToList(list: string | null | undefined, items: string): string {
  const names = `${list ?? ''},${items}`.split(',').map((name) => name.trim())
  const known = new Map(names.filter((name) => name !== '').map((one) => [one.toLowerCase(), one]))
  return known.has('*') ? '*' : [...known.values()].join(', ')
}

/**
 * Returns the value to set for a payment header. Whatever the handler has set, nothing of the payment's value is
 * lost: otherwise caches could keep content that others paid for.
 * @param present the response's current value of that header
 */
export function enforcedValue(name: string, value: string, present: string | null): string {
  if (LISTS.includes(name)) return addToList(present, value)
  return DEFAULTS.includes(name) ? (present ?? value) : value
}

/** The members of a Node response that this module uses. */
export interface HeadedResponse {
  setHeader(name: string, value: string): unknown
  getHeader(name: string): string | number | readonly string[] | undefined
  // biome-ignore lint/suspicious/noExplicitAny: Node's overloads are taken as they come and passed on
  writeHead: (status: number, first?: any, second?: any) => any
}

/** Sets payment headers on a response now, merged by `enforcedValue`. */
export function setHeaders(response: HeadedResponse, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    const present = response.getHeader(name)?.toString() ?? null
    response.setHeader(name, enforcedValue(name, value, present))
  }
}

/** `writeHead` takes headers as an object, as pairs, or as alternating names and values. */
type GivenHeaders = Readonly<Record<string, unknown>> | readonly unknown[]

function pairsOf(given: GivenHeaders): readonly (readonly [name: string, value: unknown])[] {
  if (!Array.isArray(given)) return Object.entries(given)
  if (given.every(Array.isArray)) return given as [string, unknown][]
  const names = given.filter((_, at) => at % 2 === 0)
  return names.map((name, at) => [String(name), given[2 * at + 1]])
}

/**
 * Sets payment headers when the response head is sent, so that no handler overrides them.
 * @param onHead called before it is sent
 */
export function enforceHeaders(
  response: HeadedResponse,
  headers: Headers,
  onHead: () => void,
): void {
  const { writeHead } = response
  response.writeHead = (status, first, second) => {
    response.writeHead = writeHead
    onHead()
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
