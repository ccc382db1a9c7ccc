/** The longest line that gives a chunk's size here: no writer pads or extends it. */
const MAX_SIZE_LINE = 16

/**
 * Reads the body of an answer in chunks (RFC 9112, 7.1) as it comes, and refuses whatever a writer in order
 * never sends: sizes that are padded or extended, bytes between chunks, trailers.
 */
export class ChunkedBody {
  readonly #onData: (data: Uint8Array) => void
  #rest: Buffer = Buffer.alloc(0)
  /** Of the chunk that is being read; undefined between two. */
  #left: number | undefined
  #isLast = false
  #isEnded = false

  constructor(onData: (data: Uint8Array) => void) {
    this.#onData = onData
  }

  /** Whether the last chunk was read. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** @throws Error at the first byte that does not belong. */
  push(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    while (this.#step());
    if (this.#isEnded && this.#rest.length > 0) throw new Error('bytes after the last chunk')
  }

  #step(): boolean {
    if (this.#isEnded) return false
    return this.#left === undefined ? this.#readSize() : this.#readData(this.#left)
  }

  #readSize(): boolean {
    const end = this.#rest.indexOf('\r\n')
    if (end < 0 && this.#rest.length < MAX_SIZE_LINE) return false
    const line = this.#rest.toString('latin1', 0, end < 0 ? MAX_SIZE_LINE : end)
    if (!/^(0|[1-9a-f][0-9a-f]*)$/i.test(line)) throw new Error(`no size of a chunk: ${line}`)
    this.#rest = this.#rest.subarray(end + 2)
    this.#left = Number.parseInt(line, 16)
    this.#isLast = this.#left === 0
    return true
  }

  /** The bytes of a chunk, as far as they are there, and the end of its line. */
  #readData(left: number): boolean {
    const data = this.#rest.subarray(0, left)
    if (data.length > 0) this.#onData(data)
    this.#rest = this.#rest.subarray(data.length)
    this.#left = left - data.length
    if (this.#left > 0 || this.#rest.length < 2) return false
    if (this.#rest.toString('latin1', 0, 2) !== '\r\n') throw new Error('a chunk is too long')
    this.#rest = this.#rest.subarray(2)
    this.#left = undefined
    this.#isEnded = this.#isLast
    return true
  }
}
