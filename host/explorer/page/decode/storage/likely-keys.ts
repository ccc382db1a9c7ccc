import { bigintToBytes } from '../../../../base/bytes.ts'
import type { CallNode } from '../../../browser/step/stepper.ts'

/** Small integers that constant keys are likely to be: enum members, ids, levels. */
const SMALL = 16

/** Maximum words of a frame's calldata to try as keys. */
const MAX_WORDS = 16

/** Maximum keys: each is hashed for each mapping. */
const MAX_KEYS = 200

/**
 * Returns likely mapping keys of a run, as words, for `SlotNames.guessKey`. Compilers hash constant keys at compile
 * time, so the run has no preimage of them.
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
