import { keccak256 } from 'viem'
import { bigintToBytes, bytesToBigint } from '../../../../base/bytes.ts'

/** The preimages that a run hashed, to identify slots: mapping keys and array positions are hashed. */
export class Preimages {
  readonly #byHash = new Map<bigint, Uint8Array>()
  #sorted: bigint[] | undefined

  /** Adds hashed bytes: those of KECCAK256 steps, or of keccak256PreimageTracer. */
  add(preimage: Uint8Array): bigint {
    const hash = BigInt(keccak256(preimage))
    if (this.#byHash.has(hash)) return hash
    this.#byHash.set(hash, preimage.slice())
    this.#sorted?.splice(countUpTo(this.#sorted, hash), 0, hash)
    return hash
  }

  /** Adds a slot number, whose hash is the start of an array's elements or a long string's bytes. */
  addSlot(slot: bigint): bigint {
    return this.add(bigintToBytes(slot, 32))
  }

  /** Adds a mapping key as Solidity hashes it: words padded, strings and bytes unchanged. */
  addKey(key: Uint8Array, slot: bigint): bigint {
    const preimage = new Uint8Array(key.length + 32)
    preimage.set(key)
    preimage.set(bigintToBytes(slot, 32), key.length)
    return this.add(preimage)
  }

  /** Returns the bytes with a hash. */
  of(hash: bigint): Uint8Array | undefined {
    return this.#byHash.get(hash)
  }

  get size(): number {
    return this.#byHash.size
  }

  /** Returns the nearest hash at or below a slot, with its preimage. */
  below(slot: bigint): { readonly hash: bigint; readonly preimage: Uint8Array } | undefined {
    this.#sorted ??= [...this.#byHash.keys()].sort((a, b) => (a < b ? -1 : 1))
    const hash = this.#sorted[countUpTo(this.#sorted, slot) - 1]
    return hash === undefined ? undefined : { hash, preimage: this.#byHash.get(hash) as Uint8Array }
  }
}

/** Returns how many of ascending numbers are not above `bound`. */
function countUpTo(sorted: readonly bigint[], bound: bigint): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as bigint) <= bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Splits a preimage into slot and mapping key, if it has one. */
export function splitPreimage(
  preimage: Uint8Array,
): { readonly key: Uint8Array | undefined; readonly slot: bigint } | undefined {
  if (preimage.length < 32) return undefined
  const slot = bytesToBigint(preimage.subarray(preimage.length - 32))
  return { key: preimage.length === 32 ? undefined : preimage.subarray(0, -32), slot }
}
