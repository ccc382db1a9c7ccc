import { bigintToBytes, bytesToBigint, EMPTY_BYTES } from './bytes.ts'
import { LockstepError } from './error.ts'

/** An RLP item: bytes, or a list of items (Ethereum yellow paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Lists nest at most this deep: a transaction needs 4, and recursion must not be the input's choice. */
const MAX_DEPTH = 64

function headerLength(payload: number): number {
  if (payload < 56) return 1
  let bytes = 1
  for (let rest = payload; rest >= 256; rest = Math.floor(rest / 256)) bytes++
  return 1 + bytes
}

function encodedLength(item: RlpItem): number {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && (item[0] as number) < 0x80) return 1
    return headerLength(item.length) + item.length
  }
  const payload = payloadLength(item)
  return headerLength(payload) + payload
}

function payloadLength(list: readonly RlpItem[]): number {
  let length = 0
  for (const item of list) length += encodedLength(item)
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

function writeItem(out: Uint8Array, offset: number, item: RlpItem): number {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && (item[0] as number) < 0x80) {
      out[offset] = item[0] as number
      return offset + 1
    }
    const start = writeHeader(out, offset, 0x80, item.length)
    out.set(item, start)
    return start + item.length
  }
  let next = writeHeader(out, offset, 0xc0, payloadLength(item))
  for (const child of item) next = writeItem(out, next, child)
  return next
}

/** An item, behind `before` bytes that are left zero. */
export function encodeRlp(item: RlpItem, before = 0): Uint8Array {
  const out = new Uint8Array(before + encodedLength(item))
  writeItem(out, before, item)
  return out
}

/** A list of items that are encoded already, behind `before` bytes that are left zero. */
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

/** The outermost value alone begins at 0; any other stands in a list. */
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
  if (depth === MAX_DEPTH)
    throw new LockstepError('INVALID_RLP', `rlp: nested deeper than ${MAX_DEPTH}`)
  const items: RlpItem[] = []
  for (let offset = span.start; offset < span.end; ) {
    const child = readSpan(input, offset, span.end)
    items.push(readItem(input, child, depth + 1))
    offset = child.end
  }
  return items
}

/**
 * The single item that `input` holds; byte strings are views into `input`.
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

/** Passes over an item as `readItem` reads it; the items of the outermost list. */
function checkItem(input: Uint8Array, span: Span, depth: number): number {
  if (!span.list) return 0
  if (depth === MAX_DEPTH)
    throw new LockstepError('INVALID_RLP', `rlp: nested deeper than ${MAX_DEPTH}`)
  let count = 0
  for (let offset = span.start; offset < span.end; count++) {
    const child = readSpan(input, offset, span.end)
    if (child.list) checkItem(input, child, depth + 1)
    offset = child.end
  }
  return count
}

/** The items of a list, read one after another: integers of a transaction need no view of each. */
export class RlpList {
  readonly #input: Uint8Array
  readonly #end: number
  #at: number
  /** The number of items. */
  readonly length: number

  private constructor(input: Uint8Array, { start, end }: Span, length: number) {
    this.#input = input
    this.#at = start
    this.#end = end
    this.length = length
  }

  /**
   * The list that `input` holds; undefined where that is a byte string.
   * @throws INVALID_RLP as `decodeRlp`
   */
  static decode(input: Uint8Array): RlpList | undefined {
    const span = outermost(input)
    const length = checkItem(input, span, 0)
    return span.list ? new RlpList(input, span, length) : undefined
  }

  /** Where the next item begins, or where the list ends. */
  get offset(): number {
    return this.#at
  }

  /** Passes over items. */
  skip(count: number): void {
    for (let i = 0; i < count; i++) this.#next()
  }

  /** The next item; byte strings are views into the input. @throws INVALID_RLP behind the last */
  item(): RlpItem {
    return readItem(this.#input, this.#next(), 1)
  }

  /** The next item, as `readRlpInteger` reads it. @throws INVALID_RLP */
  integer(bits: number): bigint {
    const { list, start, end } = this.#next()
    if (list || end - start > SMALL_INTEGER || this.#input[start] === 0) {
      return readRlpInteger(readItem(this.#input, { list, start, end }, 1), bits)
    }
    if ((end - start) * 8 > bits) throw tooLong(bits)
    let value = 0
    for (let i = start; i < end; i++) value = value * 256 + (this.#input[i] as number)
    return BigInt(value)
  }

  #next(): Span {
    const span = readSpan(this.#input, this.#at, this.#end)
    this.#at = span.end
    return span
  }
}

/** Bytes of an integer that a number holds exactly. */
const SMALL_INTEGER = 6

function tooLong(bits: number): LockstepError {
  return new LockstepError('INVALID_RLP', `rlp: input string too long for a ${bits}-bit integer`)
}

/** Bytes of an integer as RLP wants them: big-endian without leading zeros, empty for zero. */
export function rlpInteger(value: bigint | number): Uint8Array {
  const number = BigInt(value)
  return number === 0n ? EMPTY_BYTES : bigintToBytes(number, (number.toString(16).length + 1) >> 1)
}

/**
 * Integer of at most `bits` bits.
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
