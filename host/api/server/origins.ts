/** Which web origins may use the node. */
export class Origins {
  /** As they were given. */
  readonly origins: readonly string[]
  readonly #any: boolean
  readonly #allowed: ReadonlySet<string>

  /** `*` is any; a name without a scheme is every origin of that host. */
  constructor(origins: readonly string[]) {
    this.origins = origins
    this.#any = origins.includes('*')
    this.#allowed = new Set(origins.map((origin) => origin.toLowerCase()))
  }

  allows(origin: string): boolean {
    if (this.#any) return true
    const name = origin.toLowerCase()
    if (this.#allowed.has(name)) return true
    const host = hostOf(name)
    // `null` is a page without an origin, never a host of that name.
    return host !== 'null' && this.#allowed.has(host)
  }
}

/** The host of an origin; empty where it has none (`null`, for one). */
function hostOf(origin: string): string {
  return URL.parse(origin)?.hostname ?? ''
}
