/** Longest accepted line with a chunk size: no server here pads or extends it. */
const MAX_SIZE_LINE = 16

/**
 * Parses the chunked body of an answer (RFC 9112, 7.1) as it arrives. Refuses what a correct server never sends:
 * padded or extended sizes, bytes between chunks, trailers.
 */
export class ChunkedBody {
  readonly #onData: (data: Uint8Array) => void
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes left in the current chunk; undefined between two chunks. */
  #left: number | undefined
  #isLast = false
  #isEnded = false

  constructor(onData: (data: Uint8Array) => void) {
    this.#onData = onData
  }

  /** True after the last chunk was read. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** @throws Error at the first invalid byte */
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

  /** Reads the available bytes of a chunk, and the end of its line. */
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
