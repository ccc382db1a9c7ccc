import type { HeaderFields } from './server.ts'

/** The headers of a request in the order of their arrival: for a dozen of them, looking is faster than hashing. */
export class HeaderList implements HeaderFields {
  /** Names and values in turn. */
  readonly #parts: string[] = []

  get(name: string): string | undefined {
    const at = this.#find(name)
    return at < 0 ? undefined : this.#parts[at + 1]
  }

  has(name: string): boolean {
    return this.#find(name) >= 0
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    const parts = this.#parts
    for (let i = 0; i < parts.length; i += 2) yield [parts[i] as string, parts[i + 1] as string]
  }

  /** Adds a header; as node:http does, one that comes again to its first value: who expects one sees that there are more. */
  add(name: string, value: string): void {
    const at = this.#find(name)
    // RFC 9110, 5.3
    if (at < 0) this.#parts.push(name, value)
    else this.#parts[at + 1] += `, ${value}`
  }

  #find(name: string): number {
    const parts = this.#parts
    for (let i = 0; i < parts.length; i += 2) if (parts[i] === name) return i
    return -1
  }
}
