import { crc32 } from 'node:zlib'

/**
 * Returns the CRC-32 of `bytes` appended to the data whose CRC-32 is `before`. zlib ignores `before` if `bytes` is
 * empty and has no memory of its own.
 */
export function crcBehind(before: number, bytes: Uint8Array): number {
  return bytes.length === 0 ? before : crc32(bytes, before)
}
