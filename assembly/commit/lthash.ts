/**
 * LtHash: the sum, limb by limb modulo 2^16, of the 2048-byte BLAKE3 outputs of the rows of a set
 * (Bellare and Micciancio, 1997, with 1024 limbs of 16 bits, little-endian).
 */
import { accumulateBlake3 } from '../hash/blake3'

/** Bytes of a lattice. */
export const LATTICE: i32 = 2048
const OUTPUT_BLOCKS: u32 = 32

/**
 * Adds the `length` bytes of packed rows at `rows` to the lattice, or subtracts them. A row is LE32 key length, key,
 * LE32 value length, value; exactly these bytes are hashed. A row with an empty key or value counts as absent.
 * Returns the number of rows, or -1 if one runs past the end; the lattice is then unusable.
 */
export function mixRows(lattice: usize, rows: usize, length: u32, subtract: bool): i32 {
  let count = 0
  for (let left = length; left > 0; count++) {
    if (left < 8) return -1
    const keyLength = load<u32>(rows)
    if (keyLength > left - 8) return -1
    const valueLength = load<u32>(rows + 4 + keyLength)
    if (valueLength > left - 8 - keyLength) return -1
    const rowLength = 8 + keyLength + valueLength
    if (keyLength != 0 && valueLength != 0) {
      accumulateBlake3(rows, rowLength, lattice, OUTPUT_BLOCKS, subtract)
    }
    rows += rowLength
    left -= rowLength
  }
  return count
}
