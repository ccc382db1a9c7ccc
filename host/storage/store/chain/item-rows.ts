import { sortPacked } from '../../table/row-sort.ts'
import { ByteWriter } from '../codec/byte-writer.ts'

/** Bytes after an item: the height's offset in its section. */
const OFFSET = 2
const FIRST_ROWS = 256

/** Heights of one item within a section. */
export interface Posting {
  /** The item and the first of its heights: the end of the row's key. */
  readonly start: Uint8Array
  /** Differences between successive heights; undefined for a single height. */
  readonly gaps: Uint8Array | undefined
}

/** Items of one length with their heights, in the order added: concatenated rows, sorted at the end. */
export class ItemRows {
  readonly #itemLength: number
  readonly #width: number
  #bytes: Uint8Array
  #length = 0

  constructor(itemLength: number) {
    this.#itemLength = itemLength
    this.#width = itemLength + OFFSET
    this.#bytes = new Uint8Array(FIRST_ROWS * this.#width)
  }

  /** Bytes of an item and an offset. */
  get width(): number {
    return this.#width
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Adds the item that starts at `start` of `source`, at an offset of the section. */
  add(source: Uint8Array, start: number, offset: number): void {
    const at = this.#length
    if (at + this.#width > this.#bytes.length) this.#grow()
    const bytes = this.#bytes
    const behind = at + this.#itemLength
    for (let i = 0; i < this.#itemLength; i++) bytes[at + i] = source[start + i] as number
    bytes[behind] = offset >>> 8
    bytes[behind + 1] = offset
    // Most logs of a block come from few contracts and repeat the same items
    if (at > 0 && this.#isSame(at - this.#width, at, this.#width)) return
    this.#length += this.#width
  }

  /** Yields the items in order, each with its heights. `start` is valid until the next one. */
  *postings(): Generator<Posting, void> {
    const width = this.#width
    const bytes = this.#bytes
    const order = sortPacked(bytes.subarray(0, this.#length), width)
    const start = new Uint8Array(width)
    for (let first = 0, end = 0; first < order.length; first = end) {
      const at = (order[first] as number) * width
      let last = this.#offsetAt(at)
      let gaps: ByteWriter | undefined
      for (end = first + 1; end < order.length; end++) {
        const next = (order[end] as number) * width
        if (!this.#isSame(at, next, this.#itemLength)) break
        const offset = this.#offsetAt(next)
        if (offset === last) continue
        gaps ??= new ByteWriter(8)
        gaps.uint(offset - last)
        last = offset
      }
      for (let i = 0; i < width; i++) start[i] = bytes[at + i] as number
      yield { start, gaps: gaps?.finish() }
    }
  }

  #offsetAt(at: number): number {
    const behind = at + this.#itemLength
    return ((this.#bytes[behind] as number) << 8) | (this.#bytes[behind + 1] as number)
  }

  #isSame(a: number, b: number, length: number): boolean {
    const bytes = this.#bytes
    for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false
    return true
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#bytes.length)
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
