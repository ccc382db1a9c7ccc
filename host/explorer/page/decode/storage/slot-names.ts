import { withKnown } from './known-layout.ts'
import type { EnumMembers, LayoutType, LayoutVariable, StorageLayout } from './layout.ts'
import { type Preimages, splitPreimage } from './preimages.ts'
import { mappingKeyText } from './slot-value.ts'

/** A variable, or part of one, in a slot. */
export interface SlotVariable {
  /** `balances[0x...].amount`, `list.length`, `note[32..63]`. */
  readonly path: string
  /** In Solidity syntax. */
  readonly type: string
  /** Its key in the layout's types. */
  readonly typeName: string
  /** Bytes of the slot from its low end. */
  readonly offset: number
  readonly size: number
  /**
   * The meaning of the bytes: a value, the slot of a `bytes` or `string`, a piece of its bytes, the length of an
   * array.
   */
  readonly part: 'value' | 'head' | 'content' | 'length'
  /** For `content`: number of the piece, from 0, and the slot of its head. */
  readonly piece: { readonly index: bigint; readonly head: bigint } | undefined
}

/** Maximum slots of a long `bytes` or `string`, or an array: anything further from a hash belongs to another one. */
const MAX_SLOTS = 1n << 32n

/** Bounds a self-referential layout: real ones nest less and need fewer variables per query. */
const MAX_DEPTH = 32
const MAX_WORK = 20_000

/** Maximum elements of a fixed array to search for nested arrays and strings. */
const MAX_ELEMENTS = 256

/** A variable with content at a hash of its slot. */
interface Holder {
  readonly path: string
  readonly type: LayoutType
  readonly typeName: string
}

/** Names the slots of a contract, by its layout and the run's preimages. */
export class SlotNames {
  readonly #layout: StorageLayout
  /** Variables of the contract's own layout. */
  readonly #own: readonly LayoutVariable[]
  readonly #preimages: Preimages
  /** Remaining variables to examine in the current query. */
  #work = MAX_WORK

  /** Without a layout it knows the slots with the same meaning in every contract. */
  constructor(layout: StorageLayout | undefined, preimages: Preimages) {
    this.#own = layout?.variables ?? []
    this.#layout = withKnown(layout)
    this.#preimages = preimages
    // Compilers hash constant slots at compile time, so the run has no such preimage.
    for (const variable of this.#layout.variables) this.#addDynamic(variable.type, variable.slot, 0)
  }

  /**
   * Adds the hashes of a key in each mapping of the layout, for keys that the run used without hashing them, such as
   * constants.
   */
  guessKey(key: Uint8Array): void {
    this.#work = MAX_WORK
    for (const { type, slot } of this.#own) {
      const value = this.#type(type)
      if (value?.encoding !== 'mapping') continue
      const hash = this.#preimages.addKey(key, slot)
      if (value.value !== undefined) this.#addDynamic(value.value, hash, 0)
    }
  }

  /** Returns the variables in a slot, lowest bytes first; empty if unknown. */
  at(slot: bigint): readonly SlotVariable[] {
    this.#work = MAX_WORK
    return this.#find(slot, 0).sort((a, b) => a.offset - b.offset)
  }

  get enums(): EnumMembers {
    return this.#layout.enums
  }

  /** Returns the first content slot of the array or string whose head is `head`. */
  contentOf(head: bigint): bigint {
    return this.#preimages.addSlot(head)
  }

  #type(name: string | undefined): LayoutType | undefined {
    return name === undefined ? undefined : this.#layout.types.get(name)
  }

  /** Adds the content slots of arrays and strings in a value at a slot. */
  #addDynamic(typeName: string, slot: bigint, depth: number): void {
    const type = this.#type(typeName)
    if (type === undefined || depth > MAX_DEPTH || --this.#work < 0) return
    if (type.encoding === 'dynamic_array' || type.encoding === 'bytes')
      this.#preimages.addSlot(slot)
    if (type.encoding !== 'inplace') return
    for (const member of type.members) this.#addDynamic(member.type, slot + member.slot, depth + 1)
    const base = this.#type(type.base)
    if (base === undefined || type.base === undefined || base.bytes < 32) return
    const slots = BigInt(base.bytes) / 32n
    const count = Math.min(Math.floor(type.bytes / base.bytes), MAX_ELEMENTS)
    for (let i = 0; i < count; i++) this.#addDynamic(type.base, slot + BigInt(i) * slots, depth + 1)
  }

  #find(slot: bigint, depth: number): SlotVariable[] {
    if (depth > MAX_DEPTH) return []
    const fixed = this.#layout.variables.flatMap((variable) =>
      this.#within(variable, slot - variable.slot, variable.label, slot, depth),
    )
    return fixed.length > 0 ? fixed : this.#behindHash(slot, depth)
  }

  /** Returns the variables in a hashed slot: a mapping value, or the content of an array or a string. */
  #behindHash(slot: bigint, depth: number): SlotVariable[] {
    const near = this.#preimages.below(slot)
    const split = near === undefined ? undefined : splitPreimage(near.preimage)
    if (near === undefined || split === undefined || slot - near.hash >= MAX_SLOTS) return []
    const place = slot - near.hash
    for (const holder of this.#findHolders(split.slot, depth + 1)) {
      const found =
        split.key === undefined
          ? this.#content(holder, place, split.slot, slot, depth)
          : this.#valueOf(holder, split.key, place, slot, depth)
      if (found.length > 0) return found
    }
    return []
  }

  /** Returns the variables in a slot with content at a hash of it, including mappings. */
  #findHolders(slot: bigint, depth: number): Holder[] {
    return this.#find(slot, depth)
      .map(({ path, typeName, part }) => {
        const plain = part === 'length' ? path.replace(/\.length$/, '') : path
        return { path: plain, type: this.#type(typeName), typeName }
      })
      .filter((holder): holder is Holder => holder.type !== undefined)
  }

  #valueOf(
    holder: Holder,
    key: Uint8Array,
    place: bigint,
    slot: bigint,
    depth: number,
  ): SlotVariable[] {
    const keyType = this.#type(holder.type.key)
    if (
      holder.type.encoding !== 'mapping' ||
      keyType === undefined ||
      holder.type.value === undefined
    ) {
      return []
    }
    const path = `${holder.path}[${mappingKeyText(keyType, key, this.#layout.enums)}]`
    const value = { label: path, offset: 0, slot: 0n, type: holder.type.value }
    const found = this.#within(value, place, path, slot, depth)
    if (found.length > 0) this.#addDynamic(holder.type.value, slot - place, 0)
    return found
  }

  #content(
    holder: Holder,
    place: bigint,
    head: bigint,
    slot: bigint,
    depth: number,
  ): SlotVariable[] {
    const { type, path, typeName } = holder
    if (type.encoding === 'bytes') {
      const from = place * 32n
      const piece = { index: place, head }
      const range = `${path}[${from}..${from + 31n}]`
      const common = { path: range, type: type.label, typeName, offset: 0, size: 32 }
      return [{ ...common, part: 'content', piece }]
    }
    if (type.encoding !== 'dynamic_array' || type.base === undefined) return []
    return this.#elements(type.base, place, path, slot, depth, undefined)
  }

  /** Returns the elements in slot `place` of an array. */
  #elements(
    baseName: string,
    place: bigint,
    path: string,
    slot: bigint,
    depth: number,
    count: number | undefined,
  ): SlotVariable[] {
    const base = this.#type(baseName)
    if (base === undefined) return []
    const element = (index: bigint, offset: number, within: bigint) => {
      if (count !== undefined && index >= BigInt(count)) return []
      const label = `${path}[${index}]`
      return this.#within({ label, offset, slot: 0n, type: baseName }, within, label, slot, depth)
    }
    if (base.bytes < 32) {
      const perSlot = Math.floor(32 / base.bytes)
      return Array.from({ length: perSlot }, (_, i) =>
        element(place * BigInt(perSlot) + BigInt(i), i * base.bytes, 0n),
      ).flat()
    }
    const slots = BigInt(Math.ceil(base.bytes / 32))
    return element(place / slots, 0, place % slots)
  }

  /** Returns the parts of a variable `place` slots after its first. */
  #within(
    variable: LayoutVariable,
    place: bigint,
    path: string,
    slot: bigint,
    depth: number,
  ): SlotVariable[] {
    const type = this.#type(variable.type)
    if (type === undefined || place < 0n || depth > MAX_DEPTH || --this.#work < 0) return []
    if (place * 32n >= BigInt(variable.offset + type.bytes)) return []
    const common = { type: type.label, typeName: variable.type, piece: undefined }
    const whole = { ...common, path, offset: 0, size: 32 }
    switch (type.encoding) {
      case 'mapping':
        return [{ ...whole, part: 'value' }]
      case 'bytes':
        return [{ ...whole, part: 'head' }]
      case 'dynamic_array':
        return [{ ...whole, path: `${path}.length`, part: 'length' }]
    }
    if (type.members.length > 0) {
      return type.members.flatMap((member) =>
        this.#within(member, place - member.slot, `${path}.${member.label}`, slot, depth + 1),
      )
    }
    if (type.base !== undefined) {
      const base = this.#type(type.base)
      const count = base === undefined ? 0 : countOf(type, base)
      return this.#elements(type.base, place, path, slot, depth + 1, count)
    }
    if (type.bytes > 32) return []
    return [{ ...whole, offset: variable.offset, size: type.bytes, part: 'value' }]
  }
}

/** Returns the length of a fixed array from its label, because its bytes are rounded up to whole slots. */
function countOf(type: LayoutType, base: LayoutType): number {
  const written = /\[(\d+)\]$/.exec(type.label)?.[1]
  return written === undefined ? Math.floor(type.bytes / base.bytes) : Number(written)
}
