import { LockstepError } from '../../../base/error.ts'

/** Limits on a request body. A body that exceeds them is rejected before it is parsed. */
export interface RequestShape {
  /** Maximum members, elements and opened brackets in all its messages. */
  readonly values: number
  readonly depth: number
}

/** Maximum nesting of a request: the limit of serde, which other nodes use. */
export const MAX_DEPTH = 128

/** Bytes scanned between two checks of the clock. */
const STEP_BYTES = 256 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20
const LOWER_I = 0x69
const LOWER_D = 0x64

/** Length in bytes of the key `id` unescaped, and with both letters escaped. */
const PLAIN_ID = 4
const LONGEST_ID = 14
const ESCAPED_ID = /^"(?:i|\\u0069)(?:d|\\u0064)"$/

/**
 * Scans the bytes of a body before it is parsed: the cost of JSON.parse depends on the number of values rather than
 * bytes, and parsing cannot be interrupted. Also locates the ids, because responses repeat them exactly and parsing
 * may lose digits. Invalid JSON passes and is left to the parser.
 */
export class RequestScan {
  readonly #bytes: Uint8Array
  readonly #shape: RequestShape
  /** Byte range of the id of each message, by message index. */
  readonly #ids: (readonly [start: number, end: number])[] = []
  #at = 0
  #depth = 0
  #values = 0
  /** Depth of a message's members: 1, or 2 in a batch. */
  #memberDepth = 1
  /** Index of the message in its batch. */
  #message = 0
  /** The next value is the id of a message. */
  #isId = false
  /** The next string at this position is a member name. */
  #isName = false

  constructor(bytes: Uint8Array, shape: RequestShape) {
    this.#bytes = bytes
    this.#shape = shape
  }

  /** Returns the id of a message as written in the body with the given `text`, or undefined if it has none. */
  id(message: number, text: string): string | undefined {
    const place = this.#ids[message]
    if (place === undefined) return undefined
    const [start, end] = place
    // If there are as many characters as bytes, all are ASCII and the offsets are equal.
    if (text.length === this.#bytes.length) return text.slice(start, end)
    return Buffer.from(this.#bytes.subarray(start, end)).toString()
  }

  get values(): number {
    return this.#values
  }

  /**
   * Scans the next step; returns false if more remains.
   * @throws CLIENT_LIMIT, PARSE_ERROR if the body exceeds the limits.
   */
  step(): boolean {
    const bytes = this.#bytes
    const end = Math.min(bytes.length, this.#at + STEP_BYTES)
    let at = this.#at
    while (at < end) {
      const byte = bytes[at] as number
      switch (byte) {
        case QUOTE:
          at = this.#string(at)
          continue
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (this.#isId) this.#noId()
          this.#open(byte)
          break
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth--
          break
        case COMMA:
          this.#count()
          if (this.#depth < this.#memberDepth) this.#message++
          this.#isName = this.#depth === this.#memberDepth
          break
        case COLON:
          this.#count()
          break
        default:
          if (this.#isId && byte > SPACE) {
            at = this.#scalar(at)
            continue
          }
      }
      at++
    }
    this.#at = at
    return at >= bytes.length
  }

  #open(byte: number): void {
    this.#count()
    if (++this.#depth > this.#shape.depth) {
      throw new LockstepError(
        'PARSE_ERROR',
        `parse error: nested deeper than ${this.#shape.depth} levels`,
      )
    }
    if (this.#depth === 1 && byte === OPEN_BRACKET) this.#memberDepth = 2
    this.#isName = this.#depth === this.#memberDepth && byte === OPEN_BRACE
  }

  #count(): void {
    if (++this.#values <= this.#shape.values) return
    const { values } = this.#shape
    throw new LockstepError(
      'CLIENT_LIMIT',
      `limit exceeded: the request contains more than ${values} values (evm.max_request_values)`,
      { data: { limit: values, key: 'evm.max_request_values' } },
    )
  }

  /** Skips a string; returns the offset of its end. */
  #string(start: number): number {
    const bytes = this.#bytes
    let at = start + 1
    while (at < bytes.length) {
      const byte = bytes[at] as number
      if (byte === QUOTE) break
      at += byte === BACKSLASH ? 2 : 1
    }
    at++
    if (this.#isId) {
      this.#keep(start, at)
    } else if (this.#isName && this.#depth === this.#memberDepth) {
      this.#isId = isIdName(bytes, start, at)
    }
    this.#isName = false
    return at
  }

  #scalar(start: number): number {
    const bytes = this.#bytes
    let at = start
    while (at < bytes.length) {
      const byte = bytes[at] as number
      if (byte <= SPACE || byte === COMMA || byte === CLOSE_BRACE) break
      at++
    }
    this.#keep(start, at)
    return at
  }

  #keep(start: number, end: number): void {
    this.#isId = false
    this.#ids[this.#message] = [start, end]
  }

  /** An object or array is not a valid id. */
  #noId(): void {
    this.#isId = false
    delete this.#ids[this.#message]
  }
}

/** Returns true if the string in `start` to `end`, including its quotes, is `id` in any JSON spelling. */
function isIdName(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start
  if (length === PLAIN_ID) return bytes[start + 1] === LOWER_I && bytes[start + 2] === LOWER_D
  return length <= LONGEST_ID && ESCAPED_ID.test(String.fromCharCode(...bytes.subarray(start, end)))
}
