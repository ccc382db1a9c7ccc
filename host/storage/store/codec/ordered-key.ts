import { LockstepError } from '../../../base/error.ts'
import { requireCount } from '../../../base/writable.ts'

/** Maximum bytes of a row's key. */
const MAX_KEY = 1970

/** Encodes a height in 8 bytes, big-endian, so that keys ascend by height. */
export function encodeHeight(height: number): Uint8Array {
  requireCount(height, 'a height')
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(height))
  return bytes
}

export function decodeHeight(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0))
}

/** After a 0x00 that belongs to the key. */
const ESCAPED = 0xff
/** After the 0x00 that ends the key; below `ESCAPED`, so that a shorter key comes first. */
const END = 0x01

/** Returns the length of the encoding of `parts`. @throws INVALID_ARGUMENT if it exceeds the maximum of a row's key. */
export function orderedKeyLength(...parts: readonly Uint8Array[]): number {
  let length = 0
  for (const part of parts) {
    length += part.length + 2
    for (const byte of part) if (byte === 0) length++
  }
  if (length > MAX_KEY) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `store key takes ${length} bytes, the maximum is ${MAX_KEY}`,
    )
  }
  return length
}

/**
 * Encodes keys of any length so that they keep their order and none is a prefix of another: each 0x00 becomes 0x00
 * 0xff, and 0x00 0x01 ends each part.
 * @throws INVALID_ARGUMENT if the encoding exceeds the maximum of a row's key.
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

/** Decodes the part of an encoded key that starts at `start`. */
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
