import { LockstepError } from './error.ts'

// Checks that codecs apply before writing: values that their readers would reject or misread never reach a disk or a
// peer.

const ENCODER = new TextEncoder()

export function unwritable(what: string, rule: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `${what} cannot be written: ${rule}`)
}

/** @throws INVALID_ARGUMENT unless the number is an integer from 0 to `most` */
export function requireCount(value: number, what: string, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return
  throw unwritable(`${what} ${value}`, `want a whole number from 0 to ${most}`)
}

/** @throws INVALID_ARGUMENT unless the integer is non-negative and has at most `bits` bits */
export function requireBits(value: bigint, bits: number, what: string): void {
  if (value >= 0n && value >> BigInt(bits) === 0n) return
  throw unwritable(`${what} ${value}`, `want a non-negative integer of at most ${bits} bits`)
}

/** @throws INVALID_ARGUMENT unless there are exactly `length` bytes */
export function requireLength(bytes: Uint8Array, length: number, what: string): void {
  if (bytes.length !== length) throw unwritable(what, `${bytes.length} bytes, want ${length}`)
}

/**
 * Returns UTF-8 that decodes to the same text. @throws INVALID_ARGUMENT for a lone surrogate, which UTF-8 cannot
 * encode
 */
export function textBytes(text: string, what: string): Uint8Array<ArrayBuffer> {
  if (/\p{Surrogate}/u.test(text)) throw unwritable(what, 'a text with a lone surrogate')
  return ENCODER.encode(text)
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns the text that `textBytes` wrote, including a leading byte order mark. */
export function bytesText(bytes: Uint8Array): string {
  return DECODER.decode(bytes)
}

/**
 * Returns JSON that parses to the same value. @throws INVALID_ARGUMENT for NaN and infinities, which JSON writes as
 * null
 */
export function jsonText(value: unknown, what: string): string {
  const text = JSON.stringify(value, (_, member) => {
    if (typeof member === 'number' && !Number.isFinite(member)) {
      throw unwritable(what, `JSON has no ${member}`)
    }
    return member
  }) as string | undefined
  if (text === undefined) throw unwritable(what, 'it is not JSON')
  return text
}
