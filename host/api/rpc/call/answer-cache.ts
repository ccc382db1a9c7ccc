import { RecentCache } from '../../../base/recent-cache.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import { RawJson } from './result.ts'

/** Overhead of an entry in bytes. */
const ENTRY_BYTES = 256

interface Entry {
  readonly header: BlockHeader
  readonly answer: RawJson
}

/**
 * Caches responses about finished blocks as JSON, bounded by size. An entry belongs to one header object of the chain
 * store's cache. The entry of a removed block is therefore never returned for another block at its height.
 */
export class AnswerCache {
  readonly #entries: RecentCache<string, Entry>

  /** @param bytes maximum total size */
  constructor(bytes: number) {
    this.#entries = new RecentCache(bytes)
  }

  /** Returns the cached response for `key` about the block of `header`, or undefined. */
  get(key: string, header: BlockHeader): RawJson | undefined {
    const known = this.#entries.get(key)
    return known?.header === header ? known.answer : undefined
  }

  /** Caches a response, the JSON in `text`. */
  keep(key: string, header: BlockHeader, text: string): RawJson {
    const answer = new RawJson(text)
    this.#entries.set(key, { header, answer }, text.length + ENTRY_BYTES)
    return answer
  }
}
