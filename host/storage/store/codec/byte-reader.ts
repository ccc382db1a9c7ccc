import { LockstepError } from '../../../base/error.ts'

/**
 * Reads what `ByteWriter` wrote; byte strings are views into the input.
 * @throws STORE_CORRUPTED if the input ends too early or a number is out of range.
 */
export class ByteReader {
  readonly #bytes: Uint8Array
  #offset: number

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes
    this.#offset = offset
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length
  }

  /** The offset of the next read. */
  get offset(): number {
    return this.#offset
  }

  byte(): number {
    const value = this.#bytes[this.#offset]
    if (value === undefined) throw corrupted('it ends too early')
    this.#offset++
    return value
  }

  uint(): number {
    let value = 0
    let unit = 1
    for (let i = 0; i < 8; i++) {
      const part = this.byte()
      value += (part & 0x7f) * unit
      if (part < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      unit *= 0x80
    }
    throw corrupted('an integer exceeds 2^53')
  }

  /** Returns seconds since 1970. A time above 2^53 is rounded: 0.1.0 wrote such times for development chains. */
  timestamp(): number {
    let value = 0
    let unit = 1
    for (let i = 0; i < 10; i++) {
      const part = this.byte()
      value += (part & 0x7f) * unit
      if (part < 0x80) return value
      unit *= 0x80
    }
    throw corrupted('a time exceeds 2^70')
  }

  big(): bigint {
    const length = this.byte()
    const bytes = this.raw(length)
    if (length <= 4) {
      let value = 0
      for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[i] as number)
      return BigInt(value)
    }
    let value = 0n
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number)
    return value
  }

  bytes(): Uint8Array {
    return this.raw(this.uint())
  }

  raw(length: number): Uint8Array {
    const end = this.#offset + length
    if (end > this.#bytes.length) throw corrupted('it ends too early')
    const value = this.#bytes.subarray(this.#offset, end)
    this.#offset = end
    return value
  }

  /** Skips what `raw` would read. */
  skip(length: number): void {
    const end = this.#offset + length
    if (end > this.#bytes.length) throw corrupted('it ends too early')
    this.#offset = end
  }

  /** Skips what `bytes` would read. */
  skipBytes(): void {
    this.skip(this.uint())
  }

  /** Skips what `big` would read. */
  skipBig(): void {
    this.skip(this.byte())
  }

  /** Checks that no bytes are left over. */
  finish(): void {
    if (this.#offset !== this.#bytes.length) throw corrupted('bytes are left over')
  }
}

function corrupted(what: string): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `stored record cannot be read: ${what}`)
}
