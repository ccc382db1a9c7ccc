import { requireCount } from '../../base/writable.ts'

/** Keys of the table `markers`: the latest version on disk, and its app hash. */
export const VERSION_KEY = Buffer.from('version')
export const APP_HASH_KEY = Buffer.from('app_hash')

export function readMarkerWord(bytes: Uint8Array, offset: number): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset + offset, 8).getBigUint64(0))
}

export function writeWords(...words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(8 * words.length)
  const view = new DataView(bytes.buffer)
  for (const word of words) requireCount(word, 'a number')
  words.forEach((word, i) => void view.setBigUint64(8 * i, BigInt(word)))
  return bytes
}
