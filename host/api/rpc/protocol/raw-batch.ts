import { DIGIT_VALUES, NO_DIGIT } from '../../../base/hex-digit.ts'

/** The only method in such a batch. */
export const SUBMIT_METHOD = 'eth_sendRawTransaction'

/** A batch that consists only of `SUBMIT_METHOD` calls, each with an id and one argument of valid DATA. */
export interface RawBatch {
  /** The ids as written in the request. */
  readonly ids: readonly string[]
  /** The transactions in network encoding, as views of one buffer. */
  readonly raws: readonly Uint8Array[]
  /** The number of values as `RequestScan` counts them. */
  readonly values: number
}

/** Maximum body that is parsed without yielding: some tenths of a millisecond. */
const MAX_BYTES = 128 * 1024

/**
 * The values of a call as `RequestScan` counts them: two brackets, four colons, three commas, and the comma before
 * the next call.
 */
const VALUES_PER_CALL = 10

/** Maximum characters of a string id, with its quotes. */
const MAX_ID = 128

/** Maximum digits of a number that is exact as a double. */
const EXACT_DIGITS = 15

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20
const TILDE = 0x7e
const ZERO = 0x30
const NINE = 0x39

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

const VERSION_NAME = ascii('"jsonrpc"')
const ID_NAME = ascii('"id"')
const METHOD_NAME = ascii('"method"')
const PARAMS_NAME = ascii('"params"')
const VERSION = ascii('"2.0"')
const METHOD = ascii(`"${SUBMIT_METHOD}"`)
const PREFIX = ascii('"0x')

/** Bit mask of the members that were read. */
const HAS_VERSION = 1
const HAS_ID = 2
const HAS_METHOD = 4
const HAS_PARAMS = 8
const HAS_ALL = 15

/**
 * Parses such a batch directly from bytes, decoding the hex digits into the transactions without a string or object
 * for each. Returns undefined for any other body, valid or not.
 */
export function readRawBatch(body: Uint8Array): RawBatch | undefined {
  return body.length > MAX_BYTES ? undefined : new RawBatchReader(body).read()
}

class RawBatchReader {
  readonly #body: Uint8Array
  #at = 0
  readonly #ids: string[] = []
  readonly #raws: Uint8Array[] = []
  readonly #digits: Uint8Array
  /** Bytes written to `digits`. */
  #written = 0

  constructor(body: Uint8Array) {
    this.#body = body
    this.#digits = new Uint8Array(body.length >> 1)
  }

  read(): RawBatch | undefined {
    if (!this.#take(OPEN_BRACKET)) return undefined
    do {
      if (!this.#takeCall()) return undefined
    } while (this.#take(COMMA))
    if (!this.#take(CLOSE_BRACKET)) return undefined
    this.#passSpace()
    if (this.#at < this.#body.length) return undefined
    const ids = this.#ids
    return { ids, raws: this.#raws, values: ids.length * VALUES_PER_CALL }
  }

  /** Parses a call with each member exactly once, in any order, and no other member. */
  #takeCall(): boolean {
    if (!this.#take(OPEN_BRACE)) return false
    let taken = 0
    do {
      const member = this.#takeMember()
      if (member === 0 || (taken & member) !== 0) return false
      taken |= member
    } while (this.#take(COMMA))
    return taken === HAS_ALL && this.#take(CLOSE_BRACE)
  }

  /** Returns the bit of the parsed member, or 0 if a call of this kind has no such member. */
  #takeMember(): number {
    if (this.#takeText(VERSION_NAME)) {
      return this.#take(COLON) && this.#takeText(VERSION) ? HAS_VERSION : 0
    }
    if (this.#takeText(ID_NAME)) return this.#take(COLON) && this.#takeId() ? HAS_ID : 0
    if (this.#takeText(METHOD_NAME)) {
      return this.#take(COLON) && this.#takeText(METHOD) ? HAS_METHOD : 0
    }
    if (this.#takeText(PARAMS_NAME)) {
      const isTaken =
        this.#take(COLON) &&
        this.#take(OPEN_BRACKET) &&
        this.#takeData() &&
        this.#take(CLOSE_BRACKET)
      return isTaken ? HAS_PARAMS : 0
    }
    return 0
  }

  /** Parses an integer, or an ASCII string without escapes. */
  #takeId(): boolean {
    this.#passSpace()
    const body = this.#body
    const start = this.#at
    const first = body[start]
    let at = start + 1
    if (first === QUOTE) {
      while (at < body.length && isPlain(body[at] as number)) at++
      this.#at = at + 1
      if (body[at] !== QUOTE || this.#at - start > MAX_ID) return false
      this.#ids.push(String.fromCharCode(...body.subarray(start, this.#at)))
      return true
    }
    if (first === undefined || !isDigit(first)) return false
    let value = first - ZERO
    while (at < body.length && isDigit(body[at] as number)) {
      value = value * 10 + (body[at] as number) - ZERO
      at++
    }
    const digits = at - start
    this.#at = at
    this.#ids.push(String(value))
    return digits <= EXACT_DIGITS && (first !== ZERO || digits === 1)
  }

  #takeData(): boolean {
    if (!this.#takeText(PREFIX)) return false
    const body = this.#body
    const digits = this.#digits
    const from = this.#written
    let at = this.#at
    let to = from
    for (; at + 1 < body.length; at += 2) {
      const high = DIGIT_VALUES[body[at] as number] as number
      const low = DIGIT_VALUES[body[at + 1] as number] as number
      if (high === NO_DIGIT || low === NO_DIGIT) break
      digits[to++] = high * 16 + low
    }
    // An unpaired hex digit: the byte is not a quote.
    if (body[at] !== QUOTE) return false
    this.#at = at + 1
    this.#written = to
    this.#raws.push(digits.subarray(from, to))
    return true
  }

  /** Consumes a byte outside strings, after optional whitespace. */
  #take(byte: number): boolean {
    this.#passSpace()
    if (this.#body[this.#at] !== byte) return false
    this.#at++
    return true
  }

  #takeText(text: Uint8Array): boolean {
    this.#passSpace()
    const body = this.#body
    const at = this.#at
    for (let i = 0; i < text.length; i++) if (body[at + i] !== text[i]) return false
    this.#at = at + text.length
    return true
  }

  #passSpace(): void {
    while (isSpace(this.#body[this.#at])) this.#at++
  }
}

function isPlain(byte: number): boolean {
  return byte >= SPACE && byte <= TILDE && byte !== QUOTE && byte !== BACKSLASH
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09
}
