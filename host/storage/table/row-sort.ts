/** Concatenated rows of one height and one width. No key is a prefix of another. */
export interface SortSource {
  readonly height: number
  readonly bytes: Uint8Array
  readonly width: number
  readonly keyLength: number
  /** Number of its first row. */
  readonly first: number
}

/** Fewer rows than this are sorted by insertion. */
const SMALL = 24
/**
 * Fewer rows than this are sorted by bytes, more rows by 16-bit digits, whose table of counts takes longer to clear.
 */
const LARGE = 1 << 14

/** Returns the numbers of the concatenated rows of `width` bytes, sorted by all their bytes. */
export function sortPacked(bytes: Uint8Array, width: number): Uint32Array {
  const source = { height: 0, bytes, width, keyLength: width, first: 0 }
  return new RowSort([source], bytes.length === 0 ? 0 : bytes.length / width).order
}

/**
 * Row numbers sorted by key; for one key the highest height first, for one height the row added last. Radix sort over
 * four bytes of the key at a time. Rows that are equal in them are sorted by the next four bytes after the prefix
 * that they all share.
 */
export class RowSort {
  /** Source number by row number. */
  readonly sourceOf: Uint32Array
  readonly #sources: readonly SortSource[]
  #order: Uint32Array
  #digits: Uint32Array
  #otherOrder: Uint32Array
  #otherDigits: Uint32Array
  readonly #counts = new Uint32Array(1 << 16)

  constructor(sources: readonly SortSource[], rows: number) {
    this.#sources = sources
    this.#order = new Uint32Array(rows)
    this.sourceOf = new Uint32Array(rows)
    this.#digits = new Uint32Array(rows)
    this.#otherOrder = new Uint32Array(rows)
    this.#otherDigits = new Uint32Array(rows)
    for (const [number, { first, bytes, width }] of sources.entries()) {
      this.sourceOf.fill(number, first, first + bytes.length / width)
    }
    for (let i = 0; i < rows; i++) this.#order[i] = i
    this.#sort(0, rows, 0)
  }

  get order(): Uint32Array {
    return this.#order
  }

  /** Sorts the rows from `start` to `end`, which share the first `depth` bytes. */
  #sort(start: number, end: number, depth: number): void {
    if (end - start < SMALL) {
      this.#insert(start, end, depth)
      return
    }
    const shared = this.#sharedBytes(start, end, depth)
    if (shared < 0) {
      this.#sortVersions(start, end)
      return
    }
    for (let i = start; i < end; i++) {
      this.#digits[i] = this.#digit(i, shared)
    }
    const bits = end - start < LARGE ? 8 : 16
    for (let shift = 0; shift < 32; shift += bits) this.#distribute(start, end, shift, bits)
    for (let from = start, i = start + 1; i <= end; i++) {
      if (i < end && this.#digits[i] === this.#digits[from]) continue
      // Sorting a run changes no digits outside it.
      if (i - from > 1) this.#sort(from, i, shared + 4)
      from = i
    }
  }

  /** Sorts stably by `bits` bits of the digits. */
  #distribute(start: number, end: number, shift: number, bits: number): void {
    const order = this.#order
    const digits = this.#digits
    const toOrder = this.#otherOrder
    const toDigits = this.#otherDigits
    const mask = (1 << bits) - 1
    const next = this.#counts.fill(0, 0, 1 << bits)
    for (let i = start; i < end; i++) {
      const part = ((digits[i] as number) >>> shift) & mask
      next[part] = (next[part] as number) + 1
    }
    let sum = start
    for (let part = 0; part <= mask; part++) {
      const count = next[part] as number
      next[part] = sum
      sum += count
    }
    for (let i = start; i < end; i++) {
      const digit = digits[i] as number
      const part = (digit >>> shift) & mask
      const to = next[part] as number
      next[part] = to + 1
      toOrder[to] = order[i] as number
      toDigits[to] = digit
    }
    this.#order = toOrder
    this.#digits = toDigits
    this.#otherOrder = order
    this.#otherDigits = digits
  }

  /**
   * Returns the length of the common prefix of all keys, or -1 if they are one key. The first `depth` bytes are known
   * to be shared.
   */
  #sharedBytes(start: number, end: number, depth: number): number {
    const first = this.#source(start)
    const key = this.#key(start, first)
    let shared = first.keyLength
    for (let i = start + 1; i < end && shared > depth; i++) {
      const source = this.#source(i)
      const other = this.#key(i, source)
      let at = depth
      while (at < shared && first.bytes[key + at] === source.bytes[other + at]) at++
      shared = at
    }
    return shared < first.keyLength ? shared : -1
  }

  /** Sorts rows of one key, which usually were added in ascending order of height. */
  #sortVersions(start: number, end: number): void {
    const rows = this.#order.subarray(start, end).reverse()
    rows.sort((a, b) => this.#compareVersions(a, b))
  }

  #insert(start: number, end: number, depth: number): void {
    const order = this.#order
    for (let i = start + 1; i < end; i++) {
      const row = order[i] as number
      let at = i
      while (at > start && this.#compare(order[at - 1] as number, row, depth) > 0) {
        order[at] = order[at - 1] as number
        at--
      }
      order[at] = row
    }
  }

  /** Compares two rows whose keys share the first `depth` bytes. */
  #compare(a: number, b: number, depth: number): number {
    const sourceA = this.#sources[this.sourceOf[a] as number] as SortSource
    const sourceB = this.#sources[this.sourceOf[b] as number] as SortSource
    const keyA = (a - sourceA.first) * sourceA.width
    const keyB = (b - sourceB.first) * sourceB.width
    const shared = Math.min(sourceA.keyLength, sourceB.keyLength)
    for (let i = depth; i < shared; i++) {
      const difference = (sourceA.bytes[keyA + i] as number) - (sourceB.bytes[keyB + i] as number)
      if (difference !== 0) return difference
    }
    return this.#compareVersions(a, b)
  }

  /** Orders the highest height first, then the row added last. */
  #compareVersions(a: number, b: number): number {
    const sourceA = this.#sources[this.sourceOf[a] as number] as SortSource
    const sourceB = this.#sources[this.sourceOf[b] as number] as SortSource
    return sourceB.height - sourceA.height || b - a
  }

  /** Returns four bytes of a key from `depth` on, big-endian and padded with zeros. */
  #digit(i: number, depth: number): number {
    const { bytes, keyLength } = this.#source(i)
    const at = this.#key(i, this.#source(i)) + depth
    if (depth + 4 > keyLength) {
      let digit = 0
      for (let byte = 0; byte < 4; byte++) {
        digit = (digit << 8) | (depth + byte < keyLength ? (bytes[at + byte] as number) : 0)
      }
      return digit
    }
    return (
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
    )
  }

  #source(i: number): SortSource {
    return this.#sources[this.sourceOf[this.#order[i] as number] as number] as SortSource
  }

  /** Returns the offset in its source of the key of the row at index `i`. */
  #key(i: number, source: SortSource): number {
    return ((this.#order[i] as number) - source.first) * source.width
  }
}
