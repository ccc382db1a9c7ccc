import { indexBytes } from './segment-format.ts'

/** Collects a segment's index while its chunks are written. */
export class SegmentIndexBuilder {
  readonly #offsets: number[] = []
  readonly #ends: number[] = []
  #separators = new Uint8Array(1 << 16)
  #separatorBytes = 0

  get chunks(): number {
    return this.#offsets.length
  }

  get separatorBytes(): number {
    return this.#separatorBytes
  }

  /** A chunk at `offset` of the file, whose separator lies between `start` and `end` of `bytes`. */
  add(offset: number, bytes: Uint8Array, start: number, end: number): void {
    const length = this.#separatorBytes + end - start
    if (length > this.#separators.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#separators.length))
      grown.set(this.#separators)
      this.#separators = grown
    }
    this.#separators.set(bytes.subarray(start, end), this.#separatorBytes)
    this.#separatorBytes = length
    this.#offsets.push(offset)
    this.#ends.push(length)
  }

  /** The section of the file; `end`: where the last chunk ends. */
  encode(end: number): Uint8Array {
    const { chunks } = this
    const bytes = new Uint8Array(indexBytes(chunks, this.#separatorBytes))
    const words = new Uint32Array(bytes.buffer, 0, 2 * (chunks + 1) + chunks)
    for (let i = 0; i <= chunks; i++) {
      const offset = this.#offsets[i] ?? end
      words[2 * i] = offset
      words[2 * i + 1] = offset / 2 ** 32
    }
    words.set(this.#ends, 2 * (chunks + 1))
    bytes.set(this.#separators.subarray(0, this.#separatorBytes), 4 * words.length)
    return bytes
  }
}

/** Which chunk of a segment holds a key: the section of the file as it is, searched in place. */
export class SegmentIndex {
  readonly chunks: number
  readonly #words: Uint32Array
  readonly #ends: Uint32Array
  readonly #separators: Uint8Array

  /** `section`: as the builder encoded it, at the beginning of its buffer. */
  constructor(section: Uint8Array, chunks: number) {
    this.chunks = chunks
    this.#words = new Uint32Array(section.buffer, 0, 2 * (chunks + 1))
    this.#ends = new Uint32Array(section.buffer, 8 * (chunks + 1), chunks)
    this.#separators = section.subarray(8 * (chunks + 1) + 4 * chunks)
  }

  /** Where a chunk begins in the file; of the chunk behind the last, where that one ends. */
  offset(chunk: number): number {
    return (this.#words[2 * chunk + 1] as number) * 2 ** 32 + (this.#words[2 * chunk] as number)
  }

  /** The last chunk that may have a row at or below the first `length` bytes of `target`; -1: none. */
  search(target: Uint8Array, length: number): number {
    let low = 0
    let high = this.chunks
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isAbove(middle, target, length)) high = middle
      else low = middle + 1
    }
    return low - 1
  }

  /** Whether the first row of `chunk` has the key of the first `length` bytes of `key`. */
  beginsWith(chunk: number, key: Uint8Array, length: number): boolean {
    // A separator that ends within the key differs from it: the search would have passed it.
    const start = this.#start(chunk)
    if ((this.#ends[chunk] as number) - start <= length) return false
    for (let i = 0; i < length; i++) if (this.#separators[start + i] !== key[i]) return false
    return true
  }

  #start(chunk: number): number {
    return chunk === 0 ? 0 : (this.#ends[chunk - 1] as number)
  }

  #isAbove(chunk: number, target: Uint8Array, length: number): boolean {
    const separators = this.#separators
    const end = this.#ends[chunk] as number
    let at = this.#start(chunk)
    for (let i = 0; i < length; i++, at++) {
      if (at === end) return false
      const difference = (separators[at] as number) - (target[i] as number)
      if (difference !== 0) return difference > 0
    }
    return at < end
  }
}
