import { formatData, type Hex } from '../../../base/hex.ts'
import type { SlotValue, UndoneWrites } from './stepper.ts'

export type SlotKind = 'slot' | 'transient'

const ZERO: Hex = `0x${'00'.repeat(32)}`

interface LoggedSlot {
  readonly slot: Hex
  /** Undefined until `settle`, if the first access was a write. */
  original: Hex | undefined
  /** The step that first touched it. */
  readonly touchedAt: number
  /** Numbers of its writes. */
  readonly writes: number[]
}

/** Returns true if a write of frame `call` was reverted before step `at`, by a failure of it or of an outer frame. */
export type IsUndone = (call: number, at: number) => boolean

/** The slots that a transaction touches and its writes to them, in order. */
export class SlotLog {
  /** By kind and address, then by slot. */
  readonly #contracts = new Map<string, Map<Hex, LoggedSlot>>()
  readonly #writes = new WriteColumns()
  readonly #isUndone: IsUndone

  constructor(isUndone: IsUndone) {
    this.#isUndone = isUndone
  }

  /** Records that a step reads a slot with value `value`. */
  read(kind: SlotKind, address: Hex, slot: Hex, step: number, value: Hex): void {
    this.#logged(kind, address, slot, step, value)
  }

  /** Records that a step of frame `call` writes a slot; the word is at `at`, its limbs little-endian. */
  write(
    kind: SlotKind,
    address: Hex,
    slot: Hex,
    { step, call, bytes, at }: { step: number; call: number; bytes: Uint8Array; at: number },
  ): void {
    const original = kind === 'transient' ? ZERO : undefined
    const { writes } = this.#logged(kind, address, slot, step, original)
    writes.push(this.#writes.add(step, call, bytes, at))
  }

  /** Fills in original values that no read revealed. */
  settle(original: (address: Hex, slot: Hex) => Hex): void {
    for (const [key, slots] of this.#contracts) {
      const [, address] = key.split(' ')
      for (const logged of slots.values()) logged.original ??= original(address as Hex, logged.slot)
    }
  }

  /** Returns the step that wrote the value of a slot at a step. */
  writerOf(kind: SlotKind, address: Hex, slot: Hex, at: number): number | undefined {
    const logged = this.#slotsOf(kind, address).get(slot)
    const write = logged === undefined ? undefined : this.#inForce(logged, at)
    return write === undefined ? undefined : this.#writes.stepOf(write)
  }

  /** Returns the slots of a contract touched before a step, with their values at it. */
  slotsAt(kind: SlotKind, address: Hex, at: number): SlotValue[] {
    const touched: SlotValue[] = []
    for (const logged of this.#slotsOf(kind, address).values()) {
      if (logged.touchedAt >= at) continue
      const { slot, original = ZERO } = logged
      const write = this.#inForce(logged, at)
      const value = write === undefined ? original : this.#writes.valueOf(write)
      touched.push({ slot, value, original })
    }
    return touched
  }

  /** Returns the slots of a contract whose value at step `at` was written at or after step `from`. */
  writtenSince(kind: SlotKind, address: Hex, from: number, at: number): Hex[] {
    const written: Hex[] = []
    for (const logged of this.#slotsOf(kind, address).values()) {
      const write = this.#inForce(logged, at)
      if (write !== undefined && this.#writes.stepOf(write) >= from) written.push(logged.slot)
    }
    return written
  }

  /** Returns the slots whose last write is reverted at the end, with the value that remained. */
  undone(): UndoneWrites[] {
    const end = Number.POSITIVE_INFINITY
    return Array.from(this.#contracts, ([key, slots]) => {
      const [kind, address] = key.split(' ') as [SlotKind, Hex]
      const undone = [...(kind === 'slot' ? slots.values() : [])].flatMap((logged) => {
        const last = logged.writes.at(-1)
        const kept = this.#inForce(logged, end)
        if (last === undefined || last === kept) return []
        const before = kept === undefined ? (logged.original ?? ZERO) : this.#writes.valueOf(kept)
        const after = this.#writes.valueOf(last)
        const { slot } = logged
        return before === after ? [] : [{ slot, before, after, step: this.#writes.stepOf(last) }]
      })
      return { address, slots: undone }
    }).filter(({ slots }) => slots.length > 0)
  }

  #slotsOf(kind: SlotKind, address: Hex): ReadonlyMap<Hex, LoggedSlot> {
    return this.#contracts.get(`${kind} ${address}`) ?? new Map()
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

  /** Returns the last write before a step that was not reverted before it. */
  #inForce({ writes }: LoggedSlot, at: number): number | undefined {
    for (let place = this.#firstFrom(writes, at) - 1; place >= 0; place--) {
      const write = writes[place] as number
      if (!this.#isUndone(this.#writes.callOf(write), at)) return write
    }
    return undefined
  }

  /** Returns the index of the first write at or after a step. */
  #firstFrom(writes: readonly number[], step: number): number {
    let low = 0
    let high = writes.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#writes.stepOf(writes[middle] as number) < step) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Writes by number, 40 bytes each: a transaction may make a million. */
class WriteColumns {
  #steps = new Uint32Array(64)
  #calls = new Uint32Array(64)
  #values = new Uint8Array(32 * 64)
  #count = 0

  add(step: number, call: number, bytes: Uint8Array, at: number): number {
    const write = this.#count++
    if (write === this.#steps.length) this.#grow()
    this.#steps[write] = step
    this.#calls[write] = call
    this.#values.set(bytes.subarray(at, at + 32), 32 * write)
    return write
  }

  stepOf(write: number): number {
    return this.#steps[write] as number
  }

  callOf(write: number): number {
    return this.#calls[write] as number
  }

  valueOf(write: number): Hex {
    return formatData(this.#values.slice(32 * write, 32 * write + 32).reverse())
  }

  #grow(): void {
    const [steps, calls, values] = [this.#steps, this.#calls, this.#values]
    this.#steps = new Uint32Array(2 * steps.length)
    this.#calls = new Uint32Array(2 * calls.length)
    this.#values = new Uint8Array(2 * values.length)
    this.#steps.set(steps)
    this.#calls.set(calls)
    this.#values.set(values)
  }
}
