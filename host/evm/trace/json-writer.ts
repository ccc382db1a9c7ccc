/** Bytes of a chunk, unless a writer is told otherwise. */
export const CHUNK_BYTES: number = 256 * 1024
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a

const OBJECT = 0x7d
const ARRAY = 0x5d

const encoder = new TextEncoder()

/**
 * JSON text as UTF-8 bytes, in chunks. The writer knows its open arrays and objects at every moment, so that
 * a result which breaks off can be closed to JSON that parses. Encoders of many small values write bytes
 * themselves: `reserve`, `buffer` and `at`.
 */
export class JsonWriter {
  /** The chunk under construction; valid bytes end at `at`. */
  buffer: Uint8Array<ArrayBuffer>
  at = 0
  readonly #chunkBytes: number
  readonly #send: (chunk: Uint8Array<ArrayBuffer>) => void
  readonly #newBuffer: () => Uint8Array<ArrayBuffer>
  /** Closing bytes of the open arrays and objects, the innermost last. */
  readonly #open: number[] = []
  #sent = 0
  /** A value stands before the next one in the open array or object: a comma comes first. */
  #needsComma = false
  /** The name that waits for its value. */
  #name: string | undefined

  /** `send` takes each full chunk and may keep or transfer it: `newBuffer` gives another of `chunkBytes`. */
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

  /** True once a chunk has left: the text can no longer be taken back. */
  get hasSent(): boolean {
    return this.#sent > 0
  }

  /** Objects and arrays that are open. */
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

  /** The name of the next member, ASCII that needs no escapes. It is written with its value. */
  name(name: string): void {
    this.#name = name
  }

  /** A value as `JSON.stringify` writes it; null for a value without JSON. */
  value(value: unknown): void {
    this.raw(JSON.stringify(value) ?? 'null')
  }

  member(name: string, value: unknown): void {
    this.name(name)
    this.value(value)
  }

  /** A value that is JSON text already. */
  raw(json: string): void {
    this.separate()
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    if (json.length * 3 <= this.#chunkBytes) {
      this.reserve(json.length * 3)
      this.at += encoder.encodeInto(json, this.buffer.subarray(this.at)).written
    } else {
      this.part(encoder.encode(json))
    }
    this.#needsComma = true
  }

  /** Writes the comma and the name that belong before the next value. Part of `value` and `raw`. */
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

  /** Writes JSON text, the bytes from `start` to `end`: a part of a value between `separate` and `wrote`. */
  part(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    for (let from = start; from < end; ) {
      this.reserve(1)
      const to = Math.min(end, from + this.buffer.length - this.at)
      this.buffer.set(bytes.subarray(from, to), this.at)
      this.at += to - from
      from = to
    }
  }

  /** The caller has written a value in parts, or into `buffer` itself. */
  wrote(): void {
    this.#needsComma = true
  }

  /** Makes room for `bytes` contiguous bytes at `at`; more than a chunk is refused. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    if (bytes > this.#chunkBytes) throw new RangeError(`${bytes} bytes exceed a chunk`)
    this.flush()
  }

  /** Sends the bytes that wait. */
  flush(): void {
    if (this.at === 0) return
    const chunk = this.buffer.subarray(0, this.at)
    this.#sent += this.at
    this.at = 0
    this.buffer = this.#newBuffer()
    this.#send(chunk)
  }

  /**
   * Closes the arrays and objects that are open beyond `depth`, all by default. A name that waits for its
   * value is dropped.
   */
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
