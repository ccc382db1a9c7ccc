import { expect, test } from 'vitest'
import { merkleProof, merkleRoot } from '../../../../../host/chain/consensus/comet/merkle.ts'
import { sha256 } from '../../../../../host/chain/consensus/comet/sha256.ts'

/** Returns the root that a proof leads to, by CometBFT's `computeHashFromAunts`. */
function rootOf(index: number, total: number, leaf: Uint8Array, aunts: Uint8Array[]): Uint8Array {
  if (total === 1) return leaf
  const half = 2 ** Math.ceil(Math.log2(total) - 1)
  const sibling = aunts.at(-1) as Uint8Array
  const rest = aunts.slice(0, -1)
  const [left, right] =
    index < half
      ? [rootOf(index, half, leaf, rest), sibling]
      : [sibling, rootOf(index - half, total - half, leaf, rest)]
  return sha256(Uint8Array.from([1, ...left, ...right]))
}

test('the proof of each leaf verifies against the root, for any tree size and leaf length', () => {
  for (let total = 1; total <= 33; total++) {
    const leaves = Array.from({ length: total }, (_, i) =>
      new Uint8Array((i * 47) % 130).fill(total + i),
    )
    const root = merkleRoot(leaves)
    for (let index = 0; index < total; index++) {
      const { leafHash, aunts, ...place } = merkleProof(leaves, index)
      expect(place).toEqual({ total, index })
      expect(leafHash).toEqual(sha256(Uint8Array.from([0, ...(leaves[index] as Uint8Array)])))
      expect(rootOf(index, total, leafHash, [...aunts])).toEqual(root)
    }
  }
})
