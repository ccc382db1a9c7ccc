/** A block is one cache line, so a lookup accesses memory once. */
const BLOCK_BYTES = 64
const BLOCK_WORDS = BLOCK_BYTES / 4
const BITS_PER_KEY = 10
/** Bits set per key. */
const PROBES = 6
/** The number of blocks of a shrinkable filter is a multiple of this, which most small numbers divide. */
const FOLDS = 840
/** Keys whose blocks are prefetched together. */
const BATCH = 128

/** Two 32-bit hashes of a key, filled in place: returning them would allocate. */
interface KeyHash {
  a: number
  b: number
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** Hashes the key of `length` bytes that starts at the word `start`. */
function hashKey(
  hash: KeyHash,
  seed: number,
  words: Uint32Array,
  start: number,
  length: number,
): void {
  let a = seed | 0
  let b = ~seed
  const whole = start + (length >>> 2)
  for (let i = start; i < whole; i++) {
    const word = words[i] as number
    a = Math.imul(a ^ word, 0x9e3779b1)
    a ^= a >>> 15
    b = Math.imul(((b << 13) | (b >>> 19)) ^ word, 0x2c1b3c6d)
    b ^= b >>> 17
  }
  let tail = length << 24
  if ((length & 3) !== 0) {
    tail |= (words[whole] as number) & ((1 << ((length & 3) << 3)) - 1)
  }
  a = mix(Math.imul(a ^ tail, 0x297a2d39) + b)
  hash.a = a
  hash.b = mix(Math.imul(b + tail, 0x1b873593) ^ a)
}

/** Returns the first word of a hash's block: the hash, scaled from 2^32 to `blocks`. */
function blockOf(hash: number, blocks: number): number {
  return Math.floor(((hash >>> 0) * blocks) / 2 ** 32) * BLOCK_WORDS
}

/** Returns the distance between the bits of a hash. */
function stepOf(hash: number): number {
  return (hash << 15) | (hash >>> 17) | 1
}

function blocksFor(keys: number): number {
  return Math.max(1, Math.ceil((keys * BITS_PER_KEY) / (BLOCK_BYTES * 8)))
}

/**
 * Blocked Bloom filter over keys: 10 bits per key in blocks of 64 bytes, 6 bits set in the key's block. Its
 * false-positive rate is 0.9 %. The hash is seeded, so that keys that collide in one segment do not in the next. Keys
 * are parts of word arrays whose bytes are little-endian.
 */
export class KeyFilter {
  readonly words: Uint32Array
  readonly seed: number
  readonly #blocks: number
  readonly #hash: KeyHash = { a: 0, b: 0 }

  /** @param words - Blocks of 16 words, as the `words` of a filter with the same seed. */
  constructor(words: Uint32Array, seed: number) {
    this.words = words
    this.seed = seed
    this.#blocks = words.length / BLOCK_WORDS
  }

  /** Returns false if the key of `length` bytes that starts at the word `start` was never added. */
  mayHold(words: Uint32Array, start: number, length: number): boolean {
    const hash = this.#hash
    hashKey(hash, this.seed, words, start, length)
    const block = blockOf(hash.a, this.#blocks)
    const step = stepOf(hash.b)
    let position = hash.b
    for (let i = 0; i < PROBES; i++) {
      const word = this.words[block + (position >>> 28)] as number
      if (((word >>> ((position >>> 23) & 31)) & 1) === 0) return false
      position = (position + step) | 0
    }
    return true
  }
}

/** Builds the filter of keys that are added one at a time. */
export class KeyFilterBuilder {
  readonly #seed: number
  readonly #blocks: number
  readonly #words: Uint32Array
  readonly #hash: KeyHash = { a: 0, b: 0 }
  /** Block and second hash of the keys that are not in the filter yet. */
  readonly #batch = new Int32Array(2 * BATCH)
  #batched = 0
  #keys = 0
  /** Sink for words that are read only to prefetch them. */
  readonly #fetched = new Uint32Array(1)

  /** @param maxKeys - Expected maximum. More keys may be added, at a higher false-positive rate. */
  constructor(maxKeys: number, seed: number) {
    this.#seed = seed
    const blocks = blocksFor(maxKeys)
    this.#blocks = blocks < 2 * FOLDS ? blocks : Math.ceil(blocks / FOLDS) * FOLDS
    this.#words = new Uint32Array(this.#blocks * BLOCK_WORDS)
  }

  /** Adds a key that was not added before. */
  add(words: Uint32Array, start: number, length: number): void {
    const hash = this.#hash
    hashKey(hash, this.#seed, words, start, length)
    this.#batch[this.#batched++] = blockOf(hash.a, this.#blocks)
    this.#batch[this.#batched++] = hash.b
    this.#keys++
    if (this.#batched === this.#batch.length) this.#addBatch()
  }

  /**
   * Returns the filter with as few blocks as the keys need. If a divisor of the number of blocks is enough, adjacent
   * blocks are folded together.
   */
  finish(): KeyFilter {
    this.#addBatch()
    let fold = Math.max(1, Math.floor(this.#blocks / blocksFor(this.#keys)))
    while (this.#blocks % fold !== 0) fold--
    if (fold === 1) return new KeyFilter(this.#words, this.#seed)
    const folded = new Uint32Array((this.#blocks / fold) * BLOCK_WORDS)
    for (let block = 0; block < this.#blocks; block++) {
      const to = Math.floor(block / fold) * BLOCK_WORDS
      for (let i = 0; i < BLOCK_WORDS; i++) {
        const word = this.#words[block * BLOCK_WORDS + i] as number
        folded[to + i] = (folded[to + i] as number) | word
      }
    }
    return new KeyFilter(folded, this.#seed)
  }

  #addBatch(): void {
    const words = this.#words
    const batch = this.#batch
    // Prefetch: these reads do not depend on one another, so they overlap.
    let fetched = 0
    for (let i = 0; i < this.#batched; i += 2) fetched ^= words[batch[i] as number] as number
    this.#fetched[0] = fetched
    for (let i = 0; i < this.#batched; i += 2) {
      const block = batch[i] as number
      let position = batch[i + 1] as number
      const step = stepOf(position)
      for (let probe = 0; probe < PROBES; probe++) {
        const word = block + (position >>> 28)
        words[word] = (words[word] as number) | (1 << ((position >>> 23) & 31))
        position = (position + step) | 0
      }
    }
    this.#batched = 0
  }
}
