import { keccak256 } from 'viem'
import { bigintToBytes, bytesToBigint } from '../../../../base/bytes.ts'

/** What hashes of a run were made of, to know slots by: keys of mappings and places of arrays are hashed. */
export class Preimages {
  readonly #byHash = new Map<bigint, Uint8Array>()
  #sorted: bigint[] | undefined

  /** Bytes that were hashed: those of KECCAK256 steps, or of keccak256PreimageTracer. */
  add(preimage: Uint8Array): bigint {
    const hash = BigInt(keccak256(preimage))
    if (this.#byHash.has(hash)) return hash
    this.#byHash.set(hash, preimage.slice())
    this.#sorted?.splice(countUpTo(this.#sorted, hash), 0, hash)
    return hash
  }

  /** A slot by itself: where an array's elements and a long string's bytes begin. */
  addSlot(slot: bigint): bigint {
    return this.add(bigintToBytes(slot, 32))
  }

  /** A key of a mapping, as Solidity hashes it: words padded, strings and bytes as they are. */
  addKey(key: Uint8Array, slot: bigint): bigint {
    const preimage = new Uint8Array(key.length + 32)
    preimage.set(key)
    preimage.set(bigintToBytes(slot, 32), key.length)
    return this.add(preimage)
  }

  get size(): number {
    return this.#byHash.size
  }

  /** The nearest hash at or below a slot, with what it was made of. */
  below(slot: bigint): { readonly hash: bigint; readonly preimage: Uint8Array } | undefined {
    this.#sorted ??= [...this.#byHash.keys()].sort((a, b) => (a < b ? -1 : 1))
    const hash = this.#sorted[countUpTo(this.#sorted, slot) - 1]
    return hash === undefined ? undefined : { hash, preimage: this.#byHash.get(hash) as Uint8Array }
  }
}

/** How many of ascending numbers are not above `bound`. */
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

/** A preimage as what Solidity hashes: a slot, behind a key if it is of a mapping. */
export function splitPreimage(
  preimage: Uint8Array,
): { readonly key: Uint8Array | undefined; readonly slot: bigint } | undefined {
  if (preimage.length < 32) return undefined
  const slot = bytesToBigint(preimage.subarray(preimage.length - 32))
  return { key: preimage.length === 32 ? undefined : preimage.subarray(0, -32), slot }
}
