import { blake3 } from '@noble/hashes/blake3.js'
import {
  LATTICE_BYTES,
  type LatticeHasher,
} from '../../../../../host/storage/commit/hash/lattice-hasher.ts'

function elementLength(elements: Uint8Array, start: number): number {
  const view = new DataView(elements.buffer, elements.byteOffset + start, elements.length - start)
  const keyLength = view.getUint32(0, true)
  return 8 + keyLength + view.getUint32(4 + keyLength, true)
}

/** LtHash on @noble/hashes, the reference for commit.wasm. */
export class NobleHasher implements LatticeHasher {
  add(lattice: Uint8Array, elements: Uint8Array): void {
    this.#mix(lattice, elements, 1)
  }

  subtract(lattice: Uint8Array, elements: Uint8Array): void {
    this.#mix(lattice, elements, -1)
  }

  root(lattice: Uint8Array): Uint8Array {
    return blake3(lattice)
  }

  #mix(lattice: Uint8Array, elements: Uint8Array, sign: 1 | -1): void {
    const limbs = new DataView(lattice.buffer, lattice.byteOffset, LATTICE_BYTES)
    for (let start = 0; start < elements.length; ) {
      const end = start + elementLength(elements, start)
      const output = blake3(elements.subarray(start, end), { dkLen: LATTICE_BYTES })
      const other = new DataView(output.buffer, output.byteOffset, LATTICE_BYTES)
      for (let i = 0; i < LATTICE_BYTES; i += 2) {
        limbs.setUint16(i, limbs.getUint16(i, true) + sign * other.getUint16(i, true), true)
      }
      start = end
    }
  }
}
