import { makeRandom } from '../../../../support/random.ts'

/** Small, so that a crash test covers many file rotations. */
export const WRITER_FILE_BYTES = 100_000

/** Returns the record of a height: up to 20 kB of random bytes. */
export function walRecord(height: number): Uint8Array {
  const random = makeRandom(height)
  const length = Math.floor(random() ** 3 * 20_000)
  return Uint8Array.from({ length }, () => random() * 256)
}
