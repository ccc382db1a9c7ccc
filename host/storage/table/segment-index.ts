import { indexBytes } from './segment-format.ts'

/** Collects a segment's index while its blocks are written. */
export class SegmentIndexBuilder {
  readonly #offsets: number[] = []
  readonly #ends: number[] = []
  #separators = new Uint8Array(1 << 16)
  #separatorBytes = 0

  get blocks(): number {
    return this.#offsets.length
  }

  get separatorBytes(): number {
    return this.#separatorBytes
  }

  /** Adds a block at `offset` of the file, whose separator lies between `start` and `end` of `bytes`. */
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

  /** Returns the index section of the file; `end` is the end of the last block. */
  encode(end: number): Uint8Array {
    const { blocks } = this
    const bytes = new Uint8Array(indexBytes(blocks, this.#separatorBytes))
    const words = new Uint32Array(bytes.buffer, 0, 2 * (blocks + 1) + blocks)
    for (let i = 0; i <= blocks; i++) {
      const offset = this.#offsets[i] ?? end
      words[2 * i] = offset
      words[2 * i + 1] = offset / 2 ** 32
    }
    words.set(this.#ends, 2 * (blocks + 1))
    bytes.set(this.#separators.subarray(0, this.#separatorBytes), 4 * words.length)
    return bytes
  }
}

/** Finds the block of a segment that holds a key. It searches the section of the file in place. */
export class SegmentIndex {
  readonly blocks: number
  readonly #words: Uint32Array
  readonly #ends: Uint32Array
  readonly #separators: Uint8Array

  /** @param section - As the builder encoded it, at the start of its buffer. */
  constructor(section: Uint8Array, blocks: number) {
    this.blocks = blocks
    this.#words = new Uint32Array(section.buffer, 0, 2 * (blocks + 1))
    this.#ends = new Uint32Array(section.buffer, 8 * (blocks + 1), blocks)
    this.#separators = section.subarray(8 * (blocks + 1) + 4 * blocks)
  }

  /** Returns the offset of a block in the file, or the end of the last block if `block` is the number of blocks. */
  offset(block: number): number {
    return (this.#words[2 * block + 1] as number) * 2 ** 32 + (this.#words[2 * block] as number)
  }

  /** Returns the last block that may have a row at or below the first `length` bytes of `target`, or -1 if none may. */
  search(target: Uint8Array, length: number): number {
    let low = 0
    let high = this.blocks
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isAbove(middle, target, length)) high = middle
      else low = middle + 1
    }
    return low - 1
  }

  /** Returns true if the first row of `block` has the key of the first `length` bytes of `key`. */
  beginsWith(block: number, key: Uint8Array, length: number): boolean {
    // A separator that ends within the key differs from it, or the search would have gone past it.
    const start = this.#start(block)
    if ((this.#ends[block] as number) - start <= length) return false
    for (let i = 0; i < length; i++) if (this.#separators[start + i] !== key[i]) return false
    return true
  }

  #start(block: number): number {
    return block === 0 ? 0 : (this.#ends[block - 1] as number)
  }

  #isAbove(block: number, target: Uint8Array, length: number): boolean {
    const separators = this.#separators
    const end = this.#ends[block] as number
    let at = this.#start(block)
    for (let i = 0; i < length; i++, at++) {
      if (at === end) return false
      const difference = (separators[at] as number) - (target[i] as number)
      if (difference !== 0) return difference > 0
    }
    return at < end
  }
}
