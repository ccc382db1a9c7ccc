/** The two hex digits of each byte, consecutively. */
const DIGITS = Uint8Array.from({ length: 512 }, (_, at) =>
  ((at & 1) === 0 ? at >> 5 : (at >> 1) & 15).toString(16).charCodeAt(0),
)

const QUOTE = 0x22
const ZERO = 0x30
const X = 0x78
const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d

/** Initial capacity in bytes: the size of a receipt without logs. */
const FIRST_BYTES = 2048

/**
 * Writes JSON as bytes into one growing buffer. Hex digits come from a table, and no intermediate object, array or
 * string is created. The output is ASCII.
 */
export class RpcJsonWriter {
  #bytes: Buffer
  #at = 0

  /** @param bytes expected size of the output */
  constructor(bytes: number = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafe(bytes)
  }

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#at
  }

  /** Writes ASCII JSON unchanged. */
  json(text: string): void {
    this.#grow(text.length)
    const bytes = this.#bytes
    let at = this.#at
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.#at = at
  }

  /** Writes JSON bytes unchanged. */
  raw(json: Uint8Array): void {
    this.#grow(json.length)
    this.#bytes.set(json, this.#at)
    this.#at += json.length
  }

  /** Returns a copy of what was written since `start`. */
  copy(start: number): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(start, this.#at))
  }

  /** Writes DATA: 0x and two digits per byte, in quotes. */
  data(data: Uint8Array): void {
    this.#grow(2 * data.length + 4)
    const bytes = this.#bytes
    let at = this.#at
    bytes[at++] = QUOTE
    bytes[at++] = ZERO
    bytes[at++] = X
    for (let i = 0; i < data.length; i++) {
      const digits = (data[i] as number) << 1
      bytes[at++] = DIGITS[digits] as number
      bytes[at++] = DIGITS[digits + 1] as number
    }
    bytes[at++] = QUOTE
    this.#at = at
  }

  /** Writes an array of DATA of `width` bytes each, which are consecutive in `data`. */
  dataList(data: Uint8Array, width: number): void {
    this.#grow((2 * width + 5) * (data.length / width) + 2)
    const bytes = this.#bytes
    let at = this.#at
    bytes[at++] = OPEN
    for (let start = 0; start < data.length; start += width) {
      if (start > 0) bytes[at++] = COMMA
      bytes[at++] = QUOTE
      bytes[at++] = ZERO
      bytes[at++] = X
      for (let i = start; i < start + width; i++) {
        const digits = (data[i] as number) << 1
        bytes[at++] = DIGITS[digits] as number
        bytes[at++] = DIGITS[digits + 1] as number
      }
      bytes[at++] = QUOTE
    }
    bytes[at++] = CLOSE
    this.#at = at
  }

  /** Writes DATA, or null if undefined. */
  dataOrNull(data: Uint8Array | undefined): void {
    if (data === undefined) this.json('null')
    else this.data(data)
  }

  /** Writes QUANTITY: 0x and the digits without leading zeros, in quotes. */
  quantity(value: bigint | number): void {
    this.json(`"0x${value.toString(16)}"`)
  }

  /** Returns the output as a view, valid until the next write, and empties the writer. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#at)
    this.#at = 0
    return written
  }

  /** Returns the output as a string, and empties the writer. */
  takeText(): string {
    const text = this.#bytes.toString('latin1', 0, this.#at)
    this.#at = 0
    return text
  }

  #grow(more: number): void {
    const needed = this.#at + more
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    grown.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = grown
  }
}
