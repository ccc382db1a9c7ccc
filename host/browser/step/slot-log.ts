import type { Hex } from '../../base/hex.ts'
import type { SlotValue } from '../stepper.ts'

export type SlotKind = 'slot' | 'transient'

const ZERO: Hex = `0x${'00'.repeat(32)}`

interface SlotWrite {
  readonly step: number
  readonly call: number
  readonly value: Hex
}

interface LoggedSlot {
  readonly slot: Hex
  /** Undefined until `settle`, where the first that touched it was a write. */
  original: Hex | undefined
  /** The step that touched it first. */
  readonly touchedAt: number
  readonly writes: SlotWrite[]
}

/** True where a write of frame `call` was undone before step `at`, by a failure of it or of a frame around it. */
export type IsUndone = (call: number, at: number) => boolean

/** The slots that a transaction touches, and what it writes to them, in order. */
export class SlotLog {
  /** By kind and address, then by slot. */
  readonly #contracts = new Map<string, Map<Hex, LoggedSlot>>()
  readonly #isUndone: IsUndone

  constructor(isUndone: IsUndone) {
    this.#isUndone = isUndone
  }

  /** Notes that a step reads a slot, whose value is `value`. */
  read(kind: SlotKind, address: Hex, slot: Hex, step: number, value: Hex): void {
    this.#logged(kind, address, slot, step, value)
  }

  write(kind: SlotKind, address: Hex, slot: Hex, write: SlotWrite): void {
    const original = kind === 'transient' ? ZERO : undefined
    this.#logged(kind, address, slot, write.step, original).writes.push(write)
  }

  /** Fills in the values before the transaction that no read has told. */
  settle(original: (address: Hex, slot: Hex) => Hex): void {
    for (const [key, slots] of this.#contracts) {
      const [, address] = key.split(' ')
      for (const logged of slots.values()) logged.original ??= original(address as Hex, logged.slot)
    }
  }

  /** The write that gave a slot the value that it has at a step. */
  writeInForce(kind: SlotKind, address: Hex, slot: Hex, at: number): SlotWrite | undefined {
    const logged = this.#contracts.get(`${kind} ${address}`)?.get(slot)
    return logged === undefined ? undefined : this.#inForce(logged, at)
  }

  /** The slots of a contract that were touched before a step, as they are at it. */
  slotsAt(kind: SlotKind, address: Hex, at: number): SlotValue[] {
    const slots = this.#contracts.get(`${kind} ${address}`) ?? new Map<Hex, LoggedSlot>()
    return Array.from(slots.values())
      .filter(({ touchedAt }) => touchedAt < at)
      .map((logged) => ({
        slot: logged.slot,
        value: this.#inForce(logged, at)?.value ?? logged.original ?? ZERO,
        original: logged.original ?? ZERO,
      }))
  }

  /** Slots of a contract whose value at step `at` was written by step `from` or one after it. */
  writtenSince(kind: SlotKind, address: Hex, from: number, at: number): Hex[] {
    const slots = this.#contracts.get(`${kind} ${address}`) ?? new Map<Hex, LoggedSlot>()
    return Array.from(slots.values())
      .filter((logged) => (this.#inForce(logged, at)?.step ?? -1) >= from)
      .map(({ slot }) => slot)
  }

  #logged(kind: SlotKind, address: Hex, slot: Hex, step: number, original?: Hex): LoggedSlot {
    const key = `${kind} ${address}`
    let slots = this.#contracts.get(key)
    if (slots === undefined) {
      slots = new Map()
      this.#contracts.set(key, slots)
    }
    let logged = slots.get(slot)
    if (logged === undefined) {
      logged = { slot, original, touchedAt: step, writes: [] }
      slots.set(slot, logged)
    }
    return logged
  }

  #inForce({ writes }: LoggedSlot, at: number): SlotWrite | undefined {
    for (let i = firstFrom(writes, at) - 1; i >= 0; i--) {
      const write = writes[i] as SlotWrite
      if (!this.#isUndone(write.call, at)) return write
    }
    return undefined
  }
}

/** Place of the first write at a step or after it. */
function firstFrom(writes: readonly SlotWrite[], step: number): number {
  let low = 0
  let high = writes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((writes[middle] as SlotWrite).step < step) low = middle + 1
    else high = middle
  }
  return low
}
