import { LockstepError } from './error.ts'

// What codecs ask of a value before they write it: what their readers would refuse, or read as another value, never
// reaches a disk or a peer.

const ENCODER = new TextEncoder()

export function unwritable(what: string, rule: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `${what} cannot be written: ${rule}`)
}

/** @throws INVALID_ARGUMENT unless the number is whole and from 0 to `most` */
export function requireCount(value: number, what: string, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return
  throw unwritable(`${what} ${value}`, `want a whole number from 0 to ${most}`)
}

/** @throws INVALID_ARGUMENT unless the integer is from 0 and has at most so many bits */
export function requireBits(value: bigint, bits: number, what: string): void {
  if (value >= 0n && value >> BigInt(bits) === 0n) return
  throw unwritable(`${what} ${value}`, `want an integer from 0 of at most ${bits} bits`)
}

/** @throws INVALID_ARGUMENT unless there are exactly so many bytes */
export function requireLength(bytes: Uint8Array, length: number, what: string): void {
  if (bytes.length !== length) throw unwritable(what, `${bytes.length} bytes, want ${length}`)
}

/** UTF-8 that gives the same text back. @throws INVALID_ARGUMENT for a lone surrogate, which UTF-8 has not */
export function textBytes(text: string, what: string): Uint8Array<ArrayBuffer> {
  if (/\p{Surrogate}/u.test(text)) throw unwritable(what, 'a text with half of a surrogate pair')
  return ENCODER.encode(text)
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text that `textBytes` wrote, with a byte order mark where it begins with one. */
export function bytesText(bytes: Uint8Array): string {
  return DECODER.decode(bytes)
}

/** JSON that gives the same value back. @throws INVALID_ARGUMENT for NaN and infinities, which JSON has as null */
export function jsonText(value: unknown, what: string): string {
  const text = JSON.stringify(value, (_, member) => {
    if (typeof member === 'number' && !Number.isFinite(member)) {
      throw unwritable(what, `JSON has no ${member}`)
    }
    return member
  }) as string | undefined
  if (text === undefined) throw unwritable(what, 'it is no JSON')
  return text
}
