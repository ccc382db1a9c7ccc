import type { JsonChunks } from '../../base/json-chunks.ts'

/** A longer key, of much configuration, is not worth keeping. */
const MAX_KEY = 1024

/** The part of the cache that one result may take. */
const MAX_SHARE = 1 / 16

/** Results of traces of finished blocks, which never change; the ones used last. */
export class TraceCache {
  readonly #maxBytes: number
  readonly #onLookup: (isHit: boolean) => void
  readonly #results = new Map<string, Uint8Array>()
  #bytes = 0

  /** Keeps at most `maxBytes`, nothing for 0. `onLookup` hears of every look-up. */
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

  /** Keeps a result that is not too long. It must not be written to any more. */
  keep(key: string, result: Uint8Array): void {
    if (this.#keeps(key) && result.length <= this.#maxBytes * MAX_SHARE) this.#set(key, result)
  }

  /** Passes the chunks on as they are; keeps the result when it is whole and not too long. */
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

  /** Forgets all: blocks that were thought final are gone. */
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

/** A whole result as chunks. */
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
