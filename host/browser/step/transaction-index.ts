import { formatData, type Hex, parseData } from '../../base/hex.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import { SLOAD, SSTORE, TLOAD, TSTORE } from '../../engine/generated/opcode.ts'
import type { LiveState } from '../../engine/live-state.ts'
import type { StepOptions, StepRecord, TraceEvent } from '../../engine/trace-event.ts'
import type { StateView } from '../../state/view.ts'
import { CallIndex, type IndexedCall } from './call-index.ts'
import { SlotLog } from './slot-log.ts'
import type { StepVisitor } from './step-walk.ts'

const ZERO: Hex = `0x${'00'.repeat(32)}`

/** What one run of a transaction tells for all questions: its frames, the code they run, the slots they touch. */
export class TransactionIndex implements StepVisitor {
  readonly steps: StepOptions = { stack: true, memory: false }
  count = 0
  readonly slots: SlotLog
  readonly #calls: CallIndex
  readonly #state: Pick<StateView, 'storage'>

  constructor(keccak256: Keccak256, state: Pick<StateView, 'storage'>) {
    this.#calls = new CallIndex(keccak256)
    this.slots = new SlotLog((call, at) => this.#isUndone(call, at))
    this.#state = state
  }

  get calls(): readonly IndexedCall[] {
    return this.#calls.nodes
  }

  get codes(): ReadonlyMap<Hex, Uint8Array> {
    return this.#calls.codes
  }

  onBegin(live: LiveState): void {
    this.#calls.onBegin(live)
  }

  onEvent(event: TraceEvent, index: number): void {
    this.#calls.onEvent(event, index)
  }

  onStep(step: StepRecord, index: number, call: number): void {
    this.count = index + 1
    switch (step.opcode) {
      case SLOAD:
      case SSTORE:
        if (step.slotAt !== 0) this.#touchSlot(step, index, call)
        break
      case TLOAD:
      case TSTORE:
        this.#touchTransient(step, index, call)
        break
    }
  }

  #touchSlot({ opcode, slotAt, bytes, error }: StepRecord, index: number, call: number): void {
    if (error !== undefined) return
    const { address } = this.calls[call] as IndexedCall
    const slot = wordHex(bytes, slotAt)
    const value = wordHex(bytes, slotAt + 32)
    const original = () => (opcode === SLOAD ? value : this.#originalOf(address, slot))
    const { writes } = this.slots.touch('slot', address, slot, index, original)
    if (opcode === SSTORE) writes.push({ step: index, call, value })
  }

  #touchTransient(step: StepRecord, index: number, call: number): void {
    const { opcode, bytes, error, stackAt, stackHeight } = step
    if (error !== undefined) return
    const { address } = this.calls[call] as IndexedCall
    const top = stackAt + 32 * (stackHeight - 1)
    const slot = wordHex(bytes, top)
    const { writes } = this.slots.touch('transient', address, slot, index, () => ZERO)
    if (opcode === TSTORE) writes.push({ step: index, call, value: wordHex(bytes, top - 32) })
  }

  /** A slot of an account that was not there before has no answer recorded: it held nothing. */
  #originalOf(address: Hex, slot: Hex): Hex {
    try {
      const value = this.#state.storage(parseData(address), parseData(slot))
      return value === undefined ? ZERO : formatData(value)
    } catch {
      return ZERO
    }
  }

  /** A frame's failure undoes what it and those below it have written. */
  #isUndone(call: number, at: number): boolean {
    let node: IndexedCall | undefined = this.calls[call]
    while (node !== undefined) {
      if (node.fault !== undefined && node.endStep <= at) return true
      node = node.parent === undefined ? undefined : this.calls[node.parent]
    }
    return false
  }
}

/** The word at an address of the engine's memory, where its limbs are little-endian. */
export function wordHex(bytes: Uint8Array, at: number): Hex {
  return formatData(bytes.slice(at, at + 32).reverse())
}
