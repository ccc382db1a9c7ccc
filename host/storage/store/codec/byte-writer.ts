import { requireBits, requireCount, unwritable } from '../../../base/writable.ts'

/** Maximum bytes copied one by one: a view would take longer. */
const SHORT = 64

/** Maximum bits of an integer whose length in bytes fits a byte. */
const MOST_BITS = 8 * 255
const MOST_BITS_VALUE = 2n ** BigInt(MOST_BITS) - 1n

/**
 * Writes the binary encodings of the stores. Integers are unsigned.
 * @throws INVALID_ARGUMENT for a value that `ByteReader` would reject or read differently
 */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** Writes LEB128, for integers up to 2^53 - 1. */
  uint(value: number): void {
    if (!(Number.isSafeInteger(value) && value >= 0)) requireCount(value, 'an integer')
    this.#reserve(8)
    this.#leb128(value)
  }

  /** Writes seconds since 1970, with the 64 bits of an Ethereum header. */
  timestamp(value: number): void {
    if (!(Number.isInteger(value) && value >= 0 && value <= 2 ** 64)) {
      throw unwritable(`a time of ${value} s`, 'want a whole number from 0 to 2^64')
    }
    this.#reserve(10)
    this.#leb128(value)
  }

  #leb128(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  /** Writes the length in bytes, then the bytes, least significant first. */
  big(value: bigint): void {
    if (value < 0n || value > MOST_BITS_VALUE) requireBits(value, MOST_BITS, 'an integer')
    this.#reserve(33)
    const start = this.#length++
    if (value <= 0xffff_ffffn) {
      for (let rest = Number(value); rest > 0; rest >>>= 8)
        this.#bytes[this.#length++] = rest & 0xff
    } else {
      for (let rest = value; rest > 0n; rest >>= 8n) {
        this.#reserve(1)
        this.#bytes[this.#length++] = Number(rest & 0xffn)
      }
    }
    this.#bytes[start] = this.#length - start - 1
  }

  /** Writes the length, then the bytes. */
  bytes(value: Uint8Array): void {
    this.uint(value.length)
    this.raw(value)
  }

  /** Writes the length, then the bytes of `source` from `start` up to `end`. */
  part(source: Uint8Array, start: number, end: number): void {
    const length = end - start
    this.uint(length)
    if (length > SHORT) {
      this.raw(source.subarray(start, end))
    } else {
      this.#reserve(length)
      for (let at = start; at < end; at++) this.#bytes[this.#length++] = source[at] as number
    }
  }

  /** Writes only the bytes. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  /** Returns the bytes written: a view, valid until the next write. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}
