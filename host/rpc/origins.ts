/** Which web origins may use the node. */
export class Origins {
  readonly #any: boolean
  readonly #allowed: ReadonlySet<string>

  /** `*` is any. */
  constructor(origins: readonly string[]) {
    this.#any = origins.includes('*')
    this.#allowed = new Set(origins.map((origin) => origin.toLowerCase()))
  }

  allows(origin: string): boolean {
    return this.#any || this.#allowed.has(origin.toLowerCase())
  }
}
