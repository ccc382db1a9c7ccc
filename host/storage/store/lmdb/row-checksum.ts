import { crc32 } from 'node:zlib'
import { crcBehind } from '../../table/checksum.ts'

/** Bytes of the checksum after each value: CRC-32 of the key and the value, little-endian. */
export const CHECKSUM_BYTES = 4

/** Returns a value with its checksum, as it is stored. */
export function sealValue(key: Uint8Array, value: Uint8Array): Buffer {
  const { length } = value
  const sealed = Buffer.allocUnsafe(length + CHECKSUM_BYTES)
  sealed.set(value)
  sealed.writeUInt32LE(crcBehind(crc32(key), value), length)
  return sealed
}

/** Returns the value stored with `key`, or undefined if the checksum is wrong. */
export function unsealValue(key: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
  const length = sealed.length - CHECKSUM_BYTES
  if (length < 0) return undefined
  const value = sealed.subarray(0, length)
  return crcBehind(crc32(key), value) === checksumAt(sealed, length) ? value : undefined
}

export function checksumAt(bytes: Uint8Array, at: number): number {
  const high = (bytes[at + 3] as number) * 2 ** 24
  return (
    high +
    (((bytes[at + 2] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at] as number))
  )
}
