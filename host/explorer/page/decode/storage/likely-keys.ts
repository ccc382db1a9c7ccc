import { bigintToBytes } from '../../../../base/bytes.ts'
import type { CallNode } from '../../../browser/stepper.ts'

/** Integers that constants are likely to be: members of enums, identifiers, levels. */
const SMALL = 16

/** Words of a frame's calldata that may be keys. */
const MAX_WORDS = 16

/** Keys in all: each is hashed for each mapping. */
const MAX_KEYS = 200

/**
 * Keys of mappings that a run may have used, as words: for `SlotNames.guessKey`. Compilers hash constant keys
 * themselves, so that the run has no preimage of them.
 */
export function likelyKeys(nodes: readonly CallNode[]): Uint8Array[] {
  const words = new Set<bigint>()
  for (let value = 0; value < SMALL; value++) words.add(BigInt(value))
  for (const { from, to, input } of nodes) {
    if (words.size >= MAX_KEYS) break
    words.add(BigInt(from))
    words.add(BigInt(to))
    const data = input.slice(10, 10 + 64 * MAX_WORDS)
    for (let at = 0; at + 64 <= data.length; at += 64) {
      words.add(BigInt(`0x${data.slice(at, at + 64)}`))
    }
  }
  return [...words].slice(0, MAX_KEYS).map((word) => bigintToBytes(word, 32))
}
