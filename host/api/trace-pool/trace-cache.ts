import type { JsonChunks } from '../../base/json-chunks.ts'

/** Maximum length of a key; longer ones, with much configuration, are not cached. */
const MAX_KEY = 1024

/** Maximum share of the cache for one result. */
const MAX_SHARE = 1 / 16

/** Least-recently-used cache of traces of finished blocks, which never change. */
export class TraceCache {
  readonly #maxBytes: number
  readonly #onLookup: (isHit: boolean) => void
  readonly #results = new Map<string, Uint8Array>()
  #bytes = 0

  /**
   * @param maxBytes maximum size; 0 disables the cache
   * @param onLookup called for each lookup
   */
  constructor(maxBytes: number, onLookup: (isHit: boolean) => void = () => {}) {
    this.#maxBytes = maxBytes
    this.#onLookup = onLookup
  }

  get(key: string): Uint8Array | undefined {
    if (this.#maxBytes === 0) return undefined
    const result = this.#results.get(key)
    this.#onLookup(result !== undefined)
    if (result === undefined) return undefined
    this.#results.delete(key)
    this.#results.set(key, result)
    return result
  }

  /** Caches a result that is not too long. The caller must not modify it afterwards. */
  keep(key: string, result: Uint8Array): void {
    if (this.#keeps(key) && result.length <= this.#maxBytes * MAX_SHARE) this.#set(key, result)
  }

  /** Passes the chunks through, and caches the result if it is complete and not too long. */
  collect(key: string, chunks: JsonChunks): JsonChunks {
    if (!this.#keeps(key)) return chunks
    const parts: Uint8Array[] = []
    let size = 0
    const kept: JsonChunks = {
      [Symbol.asyncIterator]: () => kept,
      next: async () => {
        const step = await chunks.next()
        if (step.done !== true) {
          const { borrowed } = step.value
          size += borrowed.length
          if (size <= this.#maxBytes * MAX_SHARE) parts.push(new Uint8Array(borrowed))
          else parts.length = 0
        } else if (step.value === undefined && size <= this.#maxBytes * MAX_SHARE) {
          this.#set(key, Buffer.concat(parts))
        }
        return step
      },
      return: () => chunks.return(),
    }
    return kept
  }

  /** Removes all results, because blocks considered final were removed. */
  clear(): void {
    this.#results.clear()
    this.#bytes = 0
  }

  #keeps(key: string): boolean {
    return key.length <= MAX_KEY && this.#maxBytes > 0
  }

  #set(key: string, result: Uint8Array): void {
    this.#bytes += result.length - (this.#results.get(key)?.length ?? 0)
    this.#results.delete(key)
    this.#results.set(key, result)
    for (const [oldest, { length }] of this.#results) {
      if (this.#bytes <= this.#maxBytes) break
      this.#results.delete(oldest)
      this.#bytes -= length
    }
  }
}

/** Returns a complete result as chunks. */
export function whole(result: Uint8Array): JsonChunks {
  let rest: Uint8Array | undefined = result
  const chunks: JsonChunks = {
    [Symbol.asyncIterator]: () => chunks,
    next: async () => {
      const value = rest
      rest = undefined
      return value === undefined
        ? { done: true, value: undefined }
        : { done: false, value: { borrowed: value } }
    },
    return: async () => ({ done: true, value: undefined }),
  }
  return chunks
}
