import { type Hex, parseData } from '../../../../base/hex.ts'
import type { CallNode, SlotValue } from '../../../browser/step/stepper.ts'
import type { StorageLayout } from '../../decode/storage/layout.ts'
import { likelyKeys } from '../../decode/storage/likely-keys.ts'
import { Preimages } from '../../decode/storage/preimages.ts'
import { SlotNames } from '../../decode/storage/slot-names.ts'
import { partText } from '../../decode/storage/variable-changes.ts'

/** The content of a slot, by its contract's variables. */
export interface SlotMeaning {
  /** `balances[0x...]`; comma-separated if a slot holds several. */
  readonly name: string
  /** The values of the variables, in the order of the names. */
  readonly value: string
}

/** Names the slots of one account. Reused from step to step, because it hashes the run's preimages only once. */
export class SlotNaming {
  readonly #names: readonly SlotNames[]

  /** `hashed` holds the preimages that the run hashed; without it only likely mapping keys have names. */
  constructor(
    layouts: readonly StorageLayout[],
    hashed: readonly Uint8Array[],
    calls: readonly CallNode[],
  ) {
    const keys = layouts.length === 0 ? [] : likelyKeys(calls)
    this.#names = layouts.map((layout) => {
      const preimages = new Preimages()
      for (const bytes of hashed) preimages.add(bytes)
      const names = new SlotNames(layout, preimages)
      for (const key of keys) names.guessKey(key)
      return names
    })
  }

  /** Returns the given slot that contains a variable; undefined if no variable has that name. */
  slotOf(name: string, slots: readonly SlotValue[]): Hex | undefined {
    const found = [...this.meanings(slots)].find(([, meaning]) =>
      meaning.name.split(', ').includes(name),
    )
    return found?.[0]
  }

  /** Returns the meanings of slots, by the layout that knows most of them; unknown ones are left out. */
  meanings(slots: readonly SlotValue[]): ReadonlyMap<Hex, SlotMeaning> {
    let best: ReadonlyMap<Hex, SlotMeaning> = new Map()
    for (const names of this.#names) {
      const found = meaningsBy(names, slots)
      if (found.size > best.size) best = found
    }
    return best
  }
}

function meaningsBy(names: SlotNames, slots: readonly SlotValue[]): ReadonlyMap<Hex, SlotMeaning> {
  const meanings = new Map<Hex, SlotMeaning>()
  for (const { slot, value } of slots) {
    const variables = names.at(BigInt(slot))
    if (variables.length === 0) continue
    const word = parseData(value)
    meanings.set(slot, {
      name: variables.map(({ path }) => path).join(', '),
      value: variables.map((variable) => partText(variable, word)).join(', '),
    })
  }
  return meanings
}
