import type { HeaderFields } from './server.ts'

/** Request headers in order of arrival. For a dozen headers a linear search is faster than hashing. */
export class HeaderList implements HeaderFields {
  /** Alternating names and values. */
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

  /** Adds a header. Like node:http, joins a repeated header to its first value, so that readers see the repetition. */
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
