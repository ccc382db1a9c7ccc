import { makeRandom } from '../../../../support/random.ts'

/** Small, so that a crash test passes many rotations. */
export const WRITER_FILE_BYTES = 100_000

/** The record of a height: up to 20 kB that nothing else tells. */
export function walRecord(height: number): Uint8Array {
  const random = makeRandom(height)
  const length = Math.floor(random() ** 3 * 20_000)
  return Uint8Array.from({ length }, () => random() * 256)
}
