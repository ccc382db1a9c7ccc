/** Limbs of a lattice: 16-bit integers, little-endian. */
export const LATTICE_LIMBS = 1024
/** Bytes of a lattice. */
export const LATTICE_BYTES = 2 * LATTICE_LIMBS

/**
 * LtHash over BLAKE3 (Bellare and Micciancio's lattice hash with 1024 limbs of 16 bits). It is the sum, limb by limb
 * modulo 2^16, of the 2048-byte BLAKE3 outputs of all elements of a set. The order does not matter, and every element
 * can be subtracted again.
 *
 * Elements are packed one after another, each as LE32 key length, key, LE32 value length, value. The hash covers
 * exactly these bytes.
 */
export interface LatticeHasher {
  /** Adds the packed elements to `lattice`, in place. */
  add(lattice: Uint8Array, elements: Uint8Array): void
  /** Subtracts the packed elements from `lattice`, in place. */
  subtract(lattice: Uint8Array, elements: Uint8Array): void
  /** Returns the BLAKE3-256 of a lattice: the root of its set. */
  root(lattice: Uint8Array): Uint8Array
}

/** Adds one lattice to another, in place. */
export function addLattice(sum: Uint8Array, lattice: Uint8Array): void {
  const left = new DataView(sum.buffer, sum.byteOffset, LATTICE_BYTES)
  const right = new DataView(lattice.buffer, lattice.byteOffset, LATTICE_BYTES)
  for (let i = 0; i < LATTICE_BYTES; i += 2) {
    left.setUint16(i, left.getUint16(i, true) + right.getUint16(i, true), true)
  }
}
