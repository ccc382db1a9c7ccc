/** A block is one cache line: a lookup touches memory once. */
const BLOCK_BYTES = 64
const BLOCK_WORDS = BLOCK_BYTES / 4
const BLOCK_BITS = BLOCK_BYTES * 8
const BITS_PER_KEY = 10
/** Bits set for a key. */
const PROBES = 6
/** Where a filter may shrink, its blocks are a multiple of this, which most small numbers divide. */
const FOLDS = 840

/** Two 32-bit hashes of a key, which a function can not return without allocating. */
interface KeyHash {
  a: number
  b: number
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function hashKey(hash: KeyHash, seed: number, bytes: Uint8Array, start: number, end: number): void {
  let a = seed | 0
  let b = ~seed
  let at = start
  for (; at + 4 <= end; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    a = Math.imul(a ^ word, 0x9e3779b1)
    a ^= a >>> 15
    b = Math.imul(((b << 13) | (b >>> 19)) ^ word, 0x2c1b3c6d)
    b ^= b >>> 17
  }
  let tail = end - start
  for (; at < end; at++) tail = (tail << 8) | (bytes[at] as number)
  a = mix(Math.imul(a ^ tail, 0x297a2d39) + b)
  hash.a = a
  hash.b = mix(Math.imul(b + tail, 0x1b873593) ^ a)
}

/**
 * A blocked Bloom filter over keys: 10 bits a key in blocks of 64 bytes, 6 bits set in the key's block.
 * The hash is seeded, so that keys that collide in one segment do not in the next.
 */
export class KeyFilter {
  readonly words: Uint32Array
  readonly seed: number
  readonly #blocks: number
  readonly #hash: KeyHash = { a: 0, b: 0 }

  /** `words`: blocks of 16 words, as `words` of a filter with the same seed. */
  constructor(words: Uint32Array, seed: number) {
    this.words = words
    this.seed = seed
    this.#blocks = words.length / BLOCK_WORDS
  }

  /** An empty filter with room for so many keys. */
  static forKeys(keys: number, seed: number): KeyFilter {
    const blocks = Math.max(1, Math.ceil((keys * BITS_PER_KEY) / BLOCK_BITS))
    const rounded = blocks < 2 * FOLDS ? blocks : Math.ceil(blocks / FOLDS) * FOLDS
    return new KeyFilter(new Uint32Array(rounded * BLOCK_WORDS), seed)
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const hash = this.#hash
    hashKey(hash, this.seed, bytes, start, end)
    const block = ((hash.a >>> 0) % this.#blocks) * BLOCK_WORDS
    const step = (hash.b << 15) | (hash.b >>> 17) | 1
    let position = hash.b
    for (let i = 0; i < PROBES; i++) {
      const word = block + (position >>> 28)
      this.words[word] = (this.words[word] as number) | (1 << ((position >>> 23) & 31))
      position = (position + step) | 0
    }
  }

  /** False when the key was never added. */
  mayHold(bytes: Uint8Array, start: number, end: number): boolean {
    const hash = this.#hash
    hashKey(hash, this.seed, bytes, start, end)
    const block = ((hash.a >>> 0) % this.#blocks) * BLOCK_WORDS
    const step = (hash.b << 15) | (hash.b >>> 17) | 1
    let position = hash.b
    for (let i = 0; i < PROBES; i++) {
      const word = this.words[block + (position >>> 28)] as number
      if (((word >>> ((position >>> 23) & 31)) & 1) === 0) return false
      position = (position + step) | 0
    }
    return true
  }

  /**
   * The same filter with as few blocks as `keys` need: where a divisor of the blocks is enough, blocks
   * that are the same modulo it are laid over one another.
   */
  foldedFor(keys: number): KeyFilter {
    const needed = Math.max(1, Math.ceil((keys * BITS_PER_KEY) / BLOCK_BITS))
    let blocks = this.#blocks
    for (let fold = Math.floor(this.#blocks / needed); fold > 1; fold--) {
      if (this.#blocks % fold !== 0) continue
      blocks = this.#blocks / fold
      break
    }
    if (blocks === this.#blocks) return this
    const words = new Uint32Array(blocks * BLOCK_WORDS)
    for (let from = 0, to = 0; from < this.words.length; from++) {
      words[to] = (words[to] as number) | (this.words[from] as number)
      if (++to === words.length) to = 0
    }
    return new KeyFilter(words, this.seed)
  }
}
