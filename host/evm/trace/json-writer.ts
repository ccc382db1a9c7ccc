/** Default bytes of a chunk. */
export const CHUNK_BYTES: number = 256 * 1024
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a

const OBJECT = 0x7d
const ARRAY = 0x5d

const encoder = new TextEncoder()

/**
 * Writes JSON as UTF-8 bytes in chunks. It tracks open arrays and objects, so that an aborted result can be closed to
 * valid JSON. Encoders of many small values write bytes directly with `reserve`, `buffer` and `at`.
 */
export class ChunkedJsonWriter {
  /** The current chunk; its content ends at `at`. */
  buffer: Uint8Array<ArrayBuffer>
  at = 0
  readonly #chunkBytes: number
  readonly #send: (chunk: Uint8Array<ArrayBuffer>) => void
  readonly #newBuffer: () => Uint8Array<ArrayBuffer>
  /** Closing bytes of open arrays and objects, the innermost last. */
  readonly #open: number[] = []
  #sent = 0
  /** True if the next value in the open array or object needs a comma before it. */
  #needsComma = false
  /** Name of the next value. */
  #name: string | undefined

  /**
   * `send` receives each full chunk and may keep or transfer it. `newBuffer` returns another buffer of `chunkBytes`.
   */
  constructor(
    send: (chunk: Uint8Array<ArrayBuffer>) => void,
    chunkBytes: number = CHUNK_BYTES,
    newBuffer: () => Uint8Array<ArrayBuffer> = () => new Uint8Array(chunkBytes),
  ) {
    this.#send = send
    this.#chunkBytes = chunkBytes
    this.#newBuffer = newBuffer
    this.buffer = newBuffer()
  }

  /** Bytes written so far, sent or not. */
  get size(): number {
    return this.#sent + this.at
  }

  /** True once a chunk has been sent, after which the text cannot be discarded. */
  get hasSent(): boolean {
    return this.#sent > 0
  }

  /** Number of open objects and arrays. */
  get depth(): number {
    return this.#open.length
  }

  beginObject(): void {
    this.#begin(0x7b, OBJECT)
  }

  beginArray(): void {
    this.#begin(0x5b, ARRAY)
  }

  /** Closes the innermost object or array. */
  end(): void {
    const close = this.#open.pop()
    if (close === undefined) throw new TypeError('nothing is open')
    this.#byte(close)
    this.#needsComma = true
  }

  /** Sets the name of the next member, ASCII without escapes. It is written with its value. */
  name(name: string): void {
    this.#name = name
  }

  /** Writes a value like `JSON.stringify`; null if it has no JSON form. */
  value(value: unknown): void {
    this.raw(JSON.stringify(value) ?? 'null')
  }

  member(name: string, value: unknown): void {
    this.name(name)
    this.value(value)
  }

  /** Writes a value that is already JSON text. */
  raw(json: string): void {
    this.separate()
    // UTF-8 needs at most three bytes per UTF-16 unit.
    if (json.length * 3 <= this.#chunkBytes) {
      this.reserve(json.length * 3)
      this.at += encoder.encodeInto(json, this.buffer.subarray(this.at)).written
    } else {
      this.part(encoder.encode(json))
    }
    this.#needsComma = true
  }

  /** Writes the comma and name before the next value. Called by `value` and `raw`. */
  separate(): void {
    if (this.#needsComma) this.#byte(COMMA)
    this.#needsComma = false
    const name = this.#name
    if (name === undefined) return
    this.reserve(name.length + 3)
    this.buffer[this.at++] = QUOTE
    for (let i = 0; i < name.length; i++) this.buffer[this.at++] = name.charCodeAt(i)
    this.buffer[this.at++] = QUOTE
    this.buffer[this.at++] = COLON
    this.#name = undefined
  }

  /** Writes bytes `start` to `end` of JSON text: a part of a value, between `separate` and `wrote`. */
  part(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    for (let from = start; from < end; ) {
      this.reserve(1)
      const to = Math.min(end, from + this.buffer.length - this.at)
      this.buffer.set(bytes.subarray(from, to), this.at)
      this.at += to - from
      from = to
    }
  }

  /** Marks a value as complete that was written in parts or directly into `buffer`. */
  wrote(): void {
    this.#needsComma = true
  }

  /** Makes room for `bytes` contiguous bytes at `at`. Throws if that exceeds a chunk. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    if (bytes > this.#chunkBytes) throw new RangeError(`${bytes} bytes exceed a chunk`)
    this.flush()
  }

  /** Sends the buffered bytes. */
  flush(): void {
    if (this.at === 0) return
    const chunk = this.buffer.subarray(0, this.at)
    this.#sent += this.at
    this.at = 0
    this.buffer = this.#newBuffer()
    this.#send(chunk)
  }

  /** Closes the arrays and objects open beyond `depth`, all by default. Drops a name without a value. */
  closeAll(depth = 0): void {
    this.#name = undefined
    while (this.#open.length > depth) this.end()
  }

  #begin(open: number, close: number): void {
    this.separate()
    this.#byte(open)
    this.#open.push(close)
    this.#needsComma = false
  }

  #byte(byte: number): void {
    this.reserve(1)
    this.buffer[this.at++] = byte
  }
}
