import { bigintToBytes, bytesToBigint, EMPTY_BYTES } from './bytes.ts'
import { LockstepError } from './error.ts'

/** An RLP item: bytes, or a list of items (Ethereum yellow paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Maximum nesting of lists: a transaction needs 4, and the input must not control recursion. */
const MAX_DEPTH = 64

function tooDeep(): LockstepError {
  return new LockstepError('INVALID_RLP', `rlp: nested deeper than ${MAX_DEPTH}`)
}

function headerLength(payload: number): number {
  if (payload < 56) return 1
  let bytes = 1
  for (let rest = payload; rest >= 256; rest = Math.floor(rest / 256)) bytes++
  return 1 + bytes
}

function encodedLength(item: RlpItem, depth: number): number {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && (item[0] as number) < 0x80) return 1
    return headerLength(item.length) + item.length
  }
  const payload = payloadLength(item, depth)
  return headerLength(payload) + payload
}

function payloadLength(list: readonly RlpItem[], depth: number): number {
  if (depth === MAX_DEPTH) throw tooDeep()
  let length = 0
  for (const item of list) length += encodedLength(item, depth + 1)
  return length
}

function writeHeader(out: Uint8Array, offset: number, short: number, payload: number): number {
  if (payload < 56) {
    out[offset] = short + payload
    return offset + 1
  }
  const size = headerLength(payload) - 1
  out[offset] = short + 55 + size
  let rest = payload
  for (let i = size; i > 0; i--) {
    out[offset + i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return offset + 1 + size
}

function writeItem(out: Uint8Array, offset: number, item: RlpItem, depth: number): number {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && (item[0] as number) < 0x80) {
      out[offset] = item[0] as number
      return offset + 1
    }
    const start = writeHeader(out, offset, 0x80, item.length)
    out.set(item, start)
    return start + item.length
  }
  let next = writeHeader(out, offset, 0xc0, payloadLength(item, depth))
  for (const child of item) next = writeItem(out, next, child, depth + 1)
  return next
}

/** Encodes an item after `before` zero bytes. @throws INVALID_RLP if lists nest too deep */
export function encodeRlp(item: RlpItem, before = 0): Uint8Array {
  const out = new Uint8Array(before + encodedLength(item, 0))
  writeItem(out, before, item, 0)
  return out
}

/** Encodes a list of already encoded items after `before` zero bytes. */
export function encodeRlpList(items: Uint8Array, before = 0): Uint8Array {
  const header = headerLength(items.length)
  const out = new Uint8Array(before + header + items.length)
  writeHeader(out, before, 0xc0, items.length)
  out.set(items, before + header)
  return out
}

interface Span {
  readonly list: boolean
  readonly start: number
  readonly end: number
}

/** Only the outermost value starts at 0; any other is in a list. */
function tooLarge(offset: number): LockstepError {
  const text =
    offset === 0
      ? 'rlp: value size exceeds available input length'
      : 'rlp: element is larger than containing list'
  return new LockstepError('INVALID_RLP', text)
}

function readSpan(input: Uint8Array, offset: number, limit: number): Span {
  const first = input[offset]
  if (first === undefined || offset >= limit) throw tooLarge(offset)
  if (first < 0x80) return { list: false, start: offset, end: offset + 1 }
  const list = first >= 0xc0
  const short = first - (list ? 0xc0 : 0x80)
  let start = offset + 1
  let length = short
  if (short > 55) {
    const size = short - 55
    start += size
    if (start > limit) throw tooLarge(offset)
    if (input[offset + 1] === 0) {
      throw new LockstepError('INVALID_RLP', 'rlp: non-canonical size information')
    }
    length = 0
    for (let i = offset + 1; i < start; i++) length = length * 256 + (input[i] as number)
    if (length < 56) throw new LockstepError('INVALID_RLP', 'rlp: non-canonical size information')
  }
  const end = start + length
  if (end > limit) throw tooLarge(offset)
  if (!list && length === 1 && (input[start] as number) < 0x80) {
    throw new LockstepError('INVALID_RLP', 'rlp: non-canonical integer or byte')
  }
  return { list, start, end }
}

function readItem(input: Uint8Array, span: Span, depth: number): RlpItem {
  if (!span.list) return input.subarray(span.start, span.end)
  if (depth === MAX_DEPTH) throw tooDeep()
  const items: RlpItem[] = []
  for (let offset = span.start; offset < span.end; ) {
    const child = readSpan(input, offset, span.end)
    items.push(readItem(input, child, depth + 1))
    offset = child.end
  }
  return items
}

/**
 * Returns the single item that `input` holds; byte strings are views into `input`.
 * @throws INVALID_RLP on truncated, non-canonical or trailing bytes.
 */
export function decodeRlp(input: Uint8Array): RlpItem {
  return readItem(input, outermost(input), 0)
}

function outermost(input: Uint8Array): Span {
  const span = readSpan(input, 0, input.length)
  if (span.end !== input.length) {
    throw new LockstepError('INVALID_RLP', 'rlp: input contains more than one value')
  }
  return span
}

/** Skips a list with the checks of `readItem`. */
function checkList(input: Uint8Array, span: Span, depth: number): void {
  if (depth === MAX_DEPTH) throw tooDeep()
  for (let offset = span.start; offset < span.end; ) {
    const child = readSpan(input, offset, span.end)
    if (child.list) checkList(input, child, depth + 1)
    offset = child.end
  }
}

/** Longest byte string whose header is one byte. */
const SHORT = 0xb7
const NO_ITEMS: readonly RlpItem[] = []

/** Reads the items of a list one after another, without allocating an object for short ones. */
export class RlpList {
  readonly #input: Uint8Array
  readonly #end: number
  #at: number
  /** Payload of the last item read. */
  #start = 0
  #stop = 0
  #isList = false
  /** The number of items. */
  readonly length: number

  private constructor(input: Uint8Array, { start, end }: Span, length: number) {
    this.#input = input
    this.#at = start
    this.#end = end
    this.length = length
  }

  /**
   * Returns the list that `input` holds; undefined if it holds a byte string.
   * @throws INVALID_RLP as `decodeRlp`
   */
  static decode(input: Uint8Array): RlpList | undefined {
    const span = outermost(input)
    if (!span.list) return undefined
    const counted = new RlpList(input, span, 0)
    let length = 0
    for (; counted.#at < span.end; length++) {
      counted.#next()
      if (!counted.#isList) continue
      checkList(input, { list: true, start: counted.#start, end: counted.#stop }, 1)
    }
    return new RlpList(input, span, length)
  }

  /** Offset of the next item, or of the end of the list. */
  get offset(): number {
    return this.#at
  }

  /** Skips items. */
  skip(count: number): void {
    for (let i = 0; i < count; i++) this.#next()
  }

  /** Returns the next item; byte strings are views into the input. @throws INVALID_RLP after the last */
  item(): RlpItem {
    this.#next()
    return this.#read()
  }

  /** Returns the next item, as `readRlpInteger` reads it. @throws INVALID_RLP */
  integer(bits: number): bigint {
    this.#next()
    const length = this.#stop - this.#start
    if (this.#isList || length > SMALL_INTEGER || this.#input[this.#start] === 0) {
      return readRlpInteger(this.#read(), bits)
    }
    if (length * 8 > bits) throw tooLong(bits)
    let value = 0
    for (let i = this.#start; i < this.#stop; i++) value = value * 256 + (this.#input[i] as number)
    return BigInt(value)
  }

  #read(): RlpItem {
    if (!this.#isList) return this.#input.subarray(this.#start, this.#stop)
    if (this.#start === this.#stop) return NO_ITEMS
    return readItem(this.#input, { list: true, start: this.#start, end: this.#stop }, 1)
  }

  #next(): void {
    const at = this.#at
    const first = this.#input[at] as number
    if (at < this.#end && first <= SHORT) {
      this.#isList = false
      this.#start = first < 0x80 ? at : at + 1
      this.#stop = first < 0x80 ? at + 1 : at + 1 + first - 0x80
      const isByte = first === 0x81 && (this.#input[at + 1] as number) < 0x80
      if (this.#stop <= this.#end && !isByte) {
        this.#at = this.#stop
        return
      }
    }
    // Long strings and lists, and invalid short ones, which throw here.
    const { list, start, end } = readSpan(this.#input, at, this.#end)
    this.#isList = list
    this.#start = start
    this.#stop = end
    this.#at = end
  }
}

/** Bytes of an integer that a number represents exactly. */
const SMALL_INTEGER = 6

function tooLong(bits: number): LockstepError {
  return new LockstepError('INVALID_RLP', `rlp: input string too long for a ${bits}-bit integer`)
}

/** Returns an integer in RLP form: big-endian without leading zeros, empty for zero. */
export function rlpInteger(value: bigint | number): Uint8Array {
  const number = BigInt(value)
  if (number < 0n) throw new LockstepError('INVALID_RLP', `rlp: ${number} is negative`)
  return number === 0n ? EMPTY_BYTES : bigintToBytes(number, (number.toString(16).length + 1) >> 1)
}

/**
 * Reads an integer of at most `bits` bits.
 * @throws INVALID_RLP on leading zeros or a larger value.
 */
export function readRlpInteger(item: RlpItem | undefined, bits: number): bigint {
  if (!(item instanceof Uint8Array))
    throw new LockstepError('INVALID_RLP', 'rlp: expected an integer')
  if (item[0] === 0) {
    throw new LockstepError('INVALID_RLP', 'rlp: non-canonical integer (leading zero bytes)')
  }
  if (item.length * 8 > bits) throw tooLong(bits)
  return bytesToBigint(item)
}
