import { crc32 } from 'node:zlib'

/** CRC-32 of `bytes` behind those of `before`. zlib forgets `before` where empty bytes have no memory of their own. */
export function crcBehind(before: number, bytes: Uint8Array): number {
  return bytes.length === 0 ? before : crc32(bytes, before)
}
