import { type Hex, parseData } from '../../../base/hex.ts'
import type { AccountChange, CallNode } from '../../browser/step/stepper.ts'
import type { Artifact } from '../decode/solc/artifact.ts'
import { likelyKeys } from '../decode/storage/likely-keys.ts'
import { Preimages } from '../decode/storage/preimages.ts'
import { SlotNames } from '../decode/storage/slot-names.ts'
import { type VariableChange, variableChanges } from '../decode/storage/variable-changes.ts'

/**
 * Reads a run's preimages from keccak256PreimageTracer results: by hash, or a list of those for a bundle of a block.
 */
export function readPreimages(traced: unknown, index: number): readonly Uint8Array[] {
  const entry = Array.isArray(traced) ? (traced[index] as { result?: unknown })?.result : traced
  if (typeof entry !== 'object' || entry === null) return []
  return Object.values(entry)
    .filter((value) => typeof value === 'string' && value.startsWith('0x'))
    .map((value) => parseData(value as Hex))
}

/** Returns an account's changes by variable names, from the layout that knows most of them. */
export function namedChanges(
  { slots }: Pick<AccountChange, 'slots'>,
  artifacts: readonly Artifact[],
  hashed: readonly Uint8Array[],
  calls: readonly CallNode[],
): readonly VariableChange[] {
  let best = unnamed(slots)
  let most = 0
  const layouts = artifacts.map(({ layout }) => layout).filter((layout) => layout !== undefined)
  for (const layout of [...layouts, undefined]) {
    const preimages = new Preimages()
    for (const bytes of hashed) preimages.add(bytes)
    const names = new SlotNames(layout, preimages)
    for (const key of likelyKeys(calls)) names.guessKey(key)
    const found = variableChanges(slots, names)
    const known = found.filter(({ path }) => path !== undefined).length
    if (known > most) {
      best = found
      most = known
    }
  }
  return best
}

function unnamed(slots: AccountChange['slots']): readonly VariableChange[] {
  return slots.map(({ slot, before, after }) => {
    return { path: undefined, type: undefined, before, after, slots: [slot] }
  })
}
