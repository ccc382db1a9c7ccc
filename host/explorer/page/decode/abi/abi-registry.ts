import type { AbiParameter } from 'viem'
import type { Hex } from '../../../../base/hex.ts'
import type { EnumMembers } from '../storage/layout.ts'
import { type AbiItem, abiItem, constructorInputs, type ItemKind, type Origin } from './abi-item.ts'

/** Finds functions, events and errors by selector. */
export interface AbiLookup {
  find(kind: ItemKind, selector: Hex): readonly AbiItem[]
}

/** The items of ABIs, in the order given. */
export class AbiRegistry implements AbiLookup {
  /** Parameters of the constructor; undefined if the ABI has none. */
  readonly constructorInputs: readonly AbiParameter[] | undefined
  readonly #items = new Map<string, AbiItem[]>()

  constructor(items: Iterable<AbiItem>, constructorInputs?: readonly AbiParameter[]) {
    this.constructorInputs = constructorInputs
    for (const item of items) {
      const key = keyOf(item.kind, item.selector)
      const found = this.#items.get(key)
      if (found === undefined) this.#items.set(key, [item])
      else if (!found.some((other) => sameShape(other, item))) found.push(item)
    }
  }

  /**
   * Creates a registry from an ABI in JSON, with the members of its enums, and functions that the ABI lacks. Entries of
   * other kinds are skipped.
   */
  static fromJson(
    abi: unknown,
    origin: Origin,
    source: string,
    enums: EnumMembers = new Map(),
    more: readonly AbiItem[] = [],
  ): AbiRegistry {
    const entries: readonly unknown[] = Array.isArray(abi) ? abi : []
    const items = entries.map((entry) => abiItem(entry, origin, source, enums))
    return new AbiRegistry(
      [...items.filter((item) => item !== undefined), ...more],
      constructorInputs(entries, enums),
    )
  }

  find(kind: ItemKind, selector: Hex): readonly AbiItem[] {
    return this.#items.get(keyOf(kind, selector.toLowerCase())) ?? []
  }

  *[Symbol.iterator](): IterableIterator<AbiItem> {
    for (const items of this.#items.values()) yield* items
  }
}

/** Returns true if both items decode the same bytes to the same values: events may differ in what they index. */
function sameShape(one: AbiItem, other: AbiItem): boolean {
  const indexed = ({ inputs }: AbiItem) =>
    inputs.map((input) => 'indexed' in input && input.indexed === true).join()
  return one.signature === other.signature && indexed(one) === indexed(other)
}

function keyOf(kind: ItemKind, selector: string): string {
  return `${kind} ${selector}`
}
