import { requireCount } from '../../base/writable.ts'

/** The value that one height wrote under a key. An empty value is a tombstone: the key was deleted. */
export interface Version {
  readonly height: number
  readonly value: Uint8Array
}

/**
 * Bytes after a key in its row: the height, inverted and big-endian, so that byte order puts a key's latest version
 * first.
 */
export const VERSION_BYTES = 8

/** Writes the inverted `height` at `offset`. */
export function writeVersion(bytes: Uint8Array, offset: number, height: number): void {
  if (!(Number.isSafeInteger(height) && height >= 0)) requireCount(height, 'a height')
  const high = ~Math.floor(height / 2 ** 32)
  const low = ~height
  bytes[offset] = high >>> 24
  bytes[offset + 1] = high >>> 16
  bytes[offset + 2] = high >>> 8
  bytes[offset + 3] = high
  bytes[offset + 4] = low >>> 24
  bytes[offset + 5] = low >>> 16
  bytes[offset + 6] = low >>> 8
  bytes[offset + 7] = low
}

/** Returns the height whose inverse lies at `offset`. */
export function readVersion(bytes: Uint8Array, offset: number): number {
  const high = ~readWord(bytes, offset) >>> 0
  const low = ~readWord(bytes, offset + 4) >>> 0
  return high * 2 ** 32 + low
}

function readWord(bytes: Uint8Array, offset: number): number {
  return (
    ((bytes[offset] as number) << 24) |
    ((bytes[offset + 1] as number) << 16) |
    ((bytes[offset + 2] as number) << 8) |
    (bytes[offset + 3] as number)
  )
}
