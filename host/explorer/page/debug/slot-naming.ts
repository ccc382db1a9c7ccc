import { type Hex, parseData } from '../../../base/hex.ts'
import type { CallNode, SlotValue } from '../../browser/stepper.ts'
import type { StorageLayout } from '../decode/storage/layout.ts'
import { likelyKeys } from '../decode/storage/likely-keys.ts'
import { Preimages } from '../decode/storage/preimages.ts'
import { SlotNames } from '../decode/storage/slot-names.ts'
import { partText } from '../decode/storage/variable-changes.ts'

/** What lies in a slot, by the names of its contract's variables. */
export interface SlotMeaning {
  /** `balances[0x...]`; several of a slot that holds several, with commas between. */
  readonly name: string
  /** The values of the variables, in the order of the names. */
  readonly value: string
}

/** Names slots of one account. It hashes what the run hashed once, so it is kept from step to step. */
export class SlotNaming {
  readonly #names: readonly SlotNames[]

  /** `hashed` is what the run hashed: without it values of mappings have no names but for likely keys. */
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

  /** The slot of those given that a variable has to itself or shares; undefined where none has that name. */
  slotOf(name: string, slots: readonly SlotValue[]): Hex | undefined {
    const found = [...this.meanings(slots)].find(([, meaning]) =>
      meaning.name.split(', ').includes(name),
    )
    return found?.[0]
  }

  /** What the slots mean, by the layout that knows the most of them; those that it does not know are left out. */
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
