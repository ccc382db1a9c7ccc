import { hash } from 'node:crypto'

/** Writes the first `length` bytes of the SHA-256 of `data` to `target` at an offset, without allocating a buffer. */
export function writeSha256(target: Buffer, at: number, length: number, data: Uint8Array): void {
  target.write(hash('sha256', data, 'binary'), at, length, 'binary')
}

/** Returns the SHA-256, 32 bytes. A digest as a string is twice as fast as one in its own buffer. */
export function sha256(data: Uint8Array): Uint8Array {
  const digest = Buffer.from(hash('sha256', data, 'binary'), 'binary')
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.length)
}
