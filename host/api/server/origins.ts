/** The web origins that may use the node. */
export class Origins {
  #origins: readonly string[] = []
  #any = false
  #allowed: ReadonlySet<string> = new Set()

  /** `*` allows any origin. A name without a scheme allows every origin of that host. */
  constructor(origins: readonly string[]) {
    this.replace(origins)
  }

  /** As configured. */
  get origins(): readonly string[] {
    return this.#origins
  }

  replace(origins: readonly string[]): void {
    this.#origins = origins
    this.#any = origins.includes('*')
    this.#allowed = new Set(origins.map((origin) => origin.toLowerCase()))
  }

  allows(origin: string): boolean {
    if (this.#any) return true
    const name = origin.toLowerCase()
    if (this.#allowed.has(name)) return true
    const host = hostOf(name)
    // `null` is an opaque origin, never a host of that name.
    return host !== 'null' && this.#allowed.has(host)
  }
}

/** Returns the host of an origin, or an empty string if it has none (for example `null`). */
function hostOf(origin: string): string {
  return URL.parse(origin)?.hostname ?? ''
}
