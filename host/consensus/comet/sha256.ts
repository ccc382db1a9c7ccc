import { hash } from 'node:crypto'

export function sha256(data: Uint8Array): Uint8Array {
  const digest = hash('sha256', data, 'buffer')
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.length)
}
