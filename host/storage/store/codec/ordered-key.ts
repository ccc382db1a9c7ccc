import { LockstepError } from '../../../base/error.ts'
import { requireCount } from '../../../base/writable.ts'

/** The longest key of a row. */
const MAX_KEY = 1970

/** A height in 8 bytes, big-endian: as keys, heights ascend. */
export function encodeHeight(height: number): Uint8Array {
  requireCount(height, 'a height')
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(height))
  return bytes
}

export function decodeHeight(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0))
}

/** Behind a 0x00 that belongs to the key. */
const ESCAPED = 0xff
/** Behind the 0x00 that ends the key; below `ESCAPED`, so that a shorter key comes first. */
const END = 0x01

/** Bytes of the encoding of `parts`. @throws INVALID_ARGUMENT when a row's key may not be that long. */
export function orderedKeyLength(...parts: readonly Uint8Array[]): number {
  let length = 0
  for (const part of parts) {
    length += part.length + 2
    for (const byte of part) if (byte === 0) length++
  }
  if (length > MAX_KEY) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `store key takes ${length} bytes, the most is ${MAX_KEY}`,
    )
  }
  return length
}

/**
 * Encodes keys of any length so that their order stays and none is the beginning of another: each 0x00
 * becomes 0x00 0xff, and 0x00 0x01 ends each part.
 * @throws INVALID_ARGUMENT when the encoding is longer than a row's key may be.
 */
export function encodeOrderedKey(...parts: readonly Uint8Array[]): Uint8Array {
  const encoded = new Uint8Array(orderedKeyLength(...parts))
  let offset = 0
  for (const part of parts) {
    for (const byte of part) {
      encoded[offset++] = byte
      if (byte === 0) encoded[offset++] = ESCAPED
    }
    encoded[offset++] = 0
    encoded[offset++] = END
  }
  return encoded
}

/** The part of an encoded key that begins at `start`, up to its end. */
export function decodeOrderedPart(encoded: Uint8Array, start: number): Uint8Array {
  const part = new Uint8Array(encoded.length - start)
  let length = 0
  for (let i = start; i < encoded.length; i++) {
    const byte = encoded[i] as number
    if (byte === 0 && encoded[++i] === END) break
    part[length++] = byte
  }
  return part.slice(0, length)
}
