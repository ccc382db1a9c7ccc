import { type HashSeed, hashKey } from './key-hash.ts'
import type { KeyPosition } from './memtable-index.ts'

/** Copies lookup keys to a word-aligned buffer and hashes them. */
export class KeyScratch {
  readonly #seed: HashSeed
  #bytes = new Uint8Array(64)
  #view = new DataView(this.#bytes.buffer)

  constructor(seed: HashSeed) {
    this.#seed = seed
  }

  /** Returns the position of a copy, which the next key overwrites. */
  place(key: Uint8Array): KeyPosition {
    if (key.length > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 * key.length)
      this.#view = new DataView(this.#bytes.buffer)
    }
    this.#bytes.set(key)
    const view = this.#view
    return { view, start: 0, length: key.length, hash: hashKey(this.#seed, view, 0, key.length) }
  }
}
