import { RecentCache } from '../../../base/recent-cache.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import { RawJson } from './result.ts'

/** Bytes of one entry beside its text. */
const ENTRY_BYTES = 256

interface Entry {
  readonly header: BlockHeader
  readonly answer: RawJson
}

/**
 * Answers about finished blocks as they were sent, bounded by their bytes. An answer is that of one header as the chain
 * store has it in memory: of a block that has left the chain there is none, whatever stands at its height now.
 */
export class AnswerCache {
  readonly #entries: RecentCache<string, Entry>

  /** @param bytes of all answers at most */
  constructor(bytes: number) {
    this.#entries = new RecentCache(bytes)
  }

  /** The answer about the block of a header that was kept under `key`. */
  get(key: string, header: BlockHeader): RawJson | undefined {
    const known = this.#entries.get(key)
    return known?.header === header ? known.answer : undefined
  }

  /** Keeps an answer, the JSON in `text`. */
  keep(key: string, header: BlockHeader, text: string): RawJson {
    const answer = new RawJson(text)
    this.#entries.set(key, { header, answer }, text.length + ENTRY_BYTES)
    return answer
  }
}
