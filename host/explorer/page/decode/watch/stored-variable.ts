import { keccak256 } from 'viem'
import { bigintToBytes, concatBytes } from '../../../../base/bytes.ts'
import { safeText } from '../format/safe-text.ts'
import type { LayoutType, LayoutVariable, StorageLayout } from '../storage/layout.ts'
import { blobText, readHeadSlot, valueText } from '../storage/slot-value.ts'
import {
  displayedValue,
  type StoragePlace,
  type WatchPlace,
  type WatchValue,
  watchProblem,
} from './watch-value.ts'

/** Returns a word of storage; undefined if nothing knows it. */
export type SlotReader = (slot: bigint) => bigint | undefined

/** More bytes of a string are not read. */
const MOST_BYTES = 4_096n

/** A variable of a storage layout, or a part of one. */
export class StoredVariable implements StoragePlace {
  readonly #layout: StorageLayout
  readonly #read: SlotReader
  readonly #path: string
  readonly #slot: bigint
  readonly #offset: number
  readonly #type: LayoutType

  private constructor(
    layout: StorageLayout,
    read: SlotReader,
    path: string,
    { slot, offset, type }: Pick<LayoutVariable, 'slot' | 'offset' | 'type'>,
  ) {
    const known = layout.types.get(type)
    if (known === undefined) throw watchProblem(`the type of ${path} is not in the layout`)
    this.#layout = layout
    this.#read = read
    this.#path = path
    this.#slot = slot
    this.#offset = offset
    this.#type = known
  }

  /** Returns a state variable; undefined if there is none with this name. */
  static named(layout: StorageLayout, read: SlotReader, name: string): WatchPlace | undefined {
    const variable = layout.variables.find(({ label }) => label === name)
    if (variable === undefined) return undefined
    return { kind: 'storage', storage: new StoredVariable(layout, read, name, variable) }
  }

  /** Returns what a storage pointer of a type points to; undefined if the layout lacks the type. */
  static at(
    layout: StorageLayout,
    read: SlotReader,
    name: string,
    label: string,
    slot: bigint,
  ): WatchPlace | undefined {
    const type = [...layout.types].find(([, one]) => one.label === label)?.[0]
    if (type === undefined) return undefined
    return {
      kind: 'storage',
      storage: new StoredVariable(layout, read, name, { slot, offset: 0, type }),
    }
  }

  member(name: string): WatchPlace {
    const { encoding, members } = this.#type
    if (name === 'length' && (encoding === 'dynamic_array' || encoding === 'bytes')) {
      const data = encoding === 'bytes' ? this.#blobLength() : this.#word(this.#slot)
      return { kind: 'value', value: { data, text: `${data}` } }
    }
    const member = members.find(({ label }) => label === name)
    if (member === undefined) throw watchProblem(`${this.#path} has no member ${name}`)
    return this.#part(`.${name}`, { ...member, slot: this.#slot + member.slot })
  }

  element(at: WatchValue): WatchPlace {
    const { encoding, key, value, base } = this.#type
    const path = `[${at.text}]`
    if (encoding === 'mapping' && key !== undefined && value !== undefined) {
      const bytes = this.#keyBytes(key, at)
      const slot = hashed(concatBytes([bytes, bigintToBytes(this.#slot, 32)]))
      return this.#part(path, { slot, offset: 0, type: value })
    }
    const element = base === undefined ? undefined : this.#layout.types.get(base)
    if (base === undefined || element === undefined) {
      throw watchProblem(`${this.#path} has no elements`)
    }
    const isDynamic = encoding === 'dynamic_array'
    const perSlot = Math.max(1, Math.floor(32 / element.bytes))
    const slotsEach = BigInt(Math.ceil(element.bytes / 32))
    const fixed = /\[(\d{1,9})\]$/.exec(this.#type.label)?.[1] ?? '0'
    const count = isDynamic ? this.#word(this.#slot) : BigInt(fixed)
    if (typeof at.data !== 'bigint' || at.data < 0n || at.data >= count) {
      throw watchProblem(`${this.#path} has no element ${at.text}: it has ${count}`)
    }
    const first = isDynamic ? hashed(bigintToBytes(this.#slot, 32)) : this.#slot
    const slot = (first + (at.data / BigInt(perSlot)) * slotsEach) % (1n << 256n)
    const offset = Number(at.data % BigInt(perSlot)) * element.bytes
    return this.#part(path, { slot, offset, type: base })
  }

  value(): WatchValue {
    const { encoding, label, bytes, members, base } = this.#type
    if (encoding === 'bytes') return this.#blob()
    if (encoding !== 'inplace' || members.length > 0 || base !== undefined) {
      throw watchProblem(`${this.#path} is a ${label}: name a member or an element`)
    }
    const word = bigintToBytes(this.#word(this.#slot), 32)
    const own = word.subarray(32 - this.#offset - bytes, 32 - this.#offset)
    return displayedValue(label, safeText(valueText(label, own, this.#layout.enums)))
  }

  #part(path: string, place: Pick<LayoutVariable, 'slot' | 'offset' | 'type'>): WatchPlace {
    const storage = new StoredVariable(this.#layout, this.#read, `${this.#path}${path}`, place)
    return { kind: 'storage', storage }
  }

  #word(slot: bigint): bigint {
    const word = this.#read(slot)
    if (word !== undefined) return word
    throw watchProblem(`the transaction does not use ${this.#path}, so its value is not known`)
  }

  #keyBytes(key: string, at: WatchValue): Uint8Array {
    const type = this.#layout.types.get(key)
    if (type?.encoding === 'bytes') {
      if (at.raw !== undefined) return new TextEncoder().encode(at.raw)
      throw watchProblem(`the keys of ${this.#path} are texts: write one in double quotes`)
    }
    const number = typeof at.data === 'boolean' ? BigInt(at.data) : at.data
    if (type === undefined || typeof number !== 'bigint') {
      throw watchProblem(`${at.text} is no key of ${this.#path}`)
    }
    // bytesN are at the high end of their word, and all others at the low end.
    const isLeft = /^bytes\d/.test(type.label)
    const word = BigInt.asUintN(256, isLeft ? number << BigInt(8 * (32 - type.bytes)) : number)
    return bigintToBytes(word, 32)
  }

  #blobLength(): bigint {
    const head = readHeadSlot(bigintToBytes(this.#word(this.#slot), 32))
    if (head === undefined)
      throw watchProblem(`${this.#path} is not encoded as ${this.#type.label}`)
    return 'bytes' in head ? BigInt(head.bytes.length) : head.length
  }

  #blob(): WatchValue {
    const head = readHeadSlot(bigintToBytes(this.#word(this.#slot), 32))
    const length = this.#blobLength()
    if (head !== undefined && 'bytes' in head) return this.#text(head.bytes)
    if (length > MOST_BYTES)
      throw watchProblem(`${this.#path} has ${length} bytes: more than are read`)
    const first = hashed(bigintToBytes(this.#slot, 32))
    const words = Array.from({ length: Math.ceil(Number(length) / 32) }, (_, i) =>
      bigintToBytes(this.#word(first + BigInt(i)), 32),
    )
    return this.#text(concatBytes(words).subarray(0, Number(length)))
  }

  #text(bytes: Uint8Array): WatchValue {
    const text = safeText(blobText(this.#type.label, bytes))
    return { data: text, text }
  }
}

function hashed(bytes: Uint8Array): bigint {
  return BigInt(keccak256(bytes))
}
