import { LockstepError } from '../../../base/error.ts'

/** Bounds on the content of a body; a body beyond them is refused before it is parsed. */
export interface RequestShape {
  /** Members, elements and opened brackets of all its messages. */
  readonly values: number
  readonly depth: number
}

/** Deepest nesting of a request: serde's limit, which the field's other nodes have. */
export const MAX_DEPTH = 128

/** Bytes that are scanned between two looks at the clock. */
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

/** Bytes of the name `id` as it is, and with both its letters escaped. */
const PLAIN_ID = 4
const LONGEST_ID = 14
const ESCAPED_ID = /^"(?:i|\\u0069)(?:d|\\u0064)"$/

/**
 * Reads a body as bytes before it is parsed: what JSON.parse takes grows with its values and not with its bytes,
 * and it cannot be stopped. On the way it finds the ids, which are answered as they were written: a number that
 * was parsed has lost digits. What is no JSON at all passes; the parser says so.
 */
export class RequestScan {
  readonly #bytes: Uint8Array
  readonly #shape: RequestShape
  /** Where the id of a message begins and ends, by the index of the message. */
  readonly #ids: (readonly [start: number, end: number])[] = []
  #at = 0
  #depth = 0
  #values = 0
  /** Depth of a message's members: 1, and 2 in a batch. */
  #memberDepth = 1
  /** Index of the message in its batch. */
  #message = 0
  /** The member whose value comes next is the id of a message. */
  #isId = false
  /** The next string at this place is a name. */
  #isName = false

  constructor(bytes: Uint8Array, shape: RequestShape) {
    this.#bytes = bytes
    this.#shape = shape
  }

  /** The id of a message as it was written in the body, whose text is `text`; undefined where it has none. */
  id(message: number, text: string): string | undefined {
    const place = this.#ids[message]
    if (place === undefined) return undefined
    const [start, end] = place
    // No character takes less than a byte: where there are as many, each has the place of its byte
    if (text.length === this.#bytes.length) return text.slice(start, end)
    return Buffer.from(this.#bytes.subarray(start, end)).toString()
  }

  get values(): number {
    return this.#values
  }

  /**
   * Reads on; false while there is more to read.
   * @throws CLIENT_LIMIT, PARSE_ERROR when there is more in the body than the shape allows.
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
      throw new LockstepError('PARSE_ERROR', `parse error: nested deeper than ${this.#shape.depth}`)
    }
    if (this.#depth === 1 && byte === OPEN_BRACKET) this.#memberDepth = 2
    this.#isName = this.#depth === this.#memberDepth && byte === OPEN_BRACE
  }

  #count(): void {
    if (++this.#values <= this.#shape.values) return
    const { values } = this.#shape
    throw new LockstepError(
      'CLIENT_LIMIT',
      `limit exceeded: the request holds more than ${values} values (evm.max_request_values)`,
      { data: { limit: values, key: 'evm.max_request_values' } },
    )
  }

  /** Passes a string; where it ends. */
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

  /** An id that is an object or an array is none that could be answered. */
  #noId(): void {
    this.#isId = false
    delete this.#ids[this.#message]
  }
}

/** True if the string from `start` up to `end`, its quotes included, is `id` in one of the spellings of JSON. */
function isIdName(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start
  if (length === PLAIN_ID) return bytes[start + 1] === LOWER_I && bytes[start + 2] === LOWER_D
  return length <= LONGEST_ID && ESCAPED_ID.test(String.fromCharCode(...bytes.subarray(start, end)))
}
