import { formatData, type Hex, parseData } from '../../../base/hex.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import { SLOAD, SSTORE, TLOAD, TSTORE } from '../../../evm/engine/generated/opcode.ts'
import type { LiveState } from '../../../evm/engine/live-state.ts'
import type { StepRecord, TraceEvent } from '../../../evm/engine/trace-event.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { CallIndex, type IndexedCall } from './call-index.ts'
import { SlotLog } from './slot-log.ts'

const ZERO: Hex = `0x${'00'.repeat(32)}`

/** The data of one run of a transaction that all queries share: frames, executed code and touched slots. */
export class RunIndex {
  readonly slots: SlotLog
  readonly #calls: CallIndex
  #count = 0

  readonly #before: () => StateView

  /** `before` returns the state before the transaction, as far as it has been read. */
  constructor(keccak256: Keccak256, before: () => StateView) {
    this.#before = before
    this.#calls = new CallIndex(keccak256, before)
    this.slots = new SlotLog((call, at) => this.#isUndone(call, at))
  }

  /** Number of steps. */
  get count(): number {
    return this.#count
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

  onEvent(event: TraceEvent): void {
    this.#calls.onEvent(event, this.#count)
  }

  onStep(step: StepRecord): void {
    const index = this.#count++
    switch (step.opcode) {
      case SLOAD:
      case SSTORE:
        this.#touch('slot', step, index, step.slotAt, step.opcode === SSTORE)
        break
      case TLOAD:
      case TSTORE:
        this.#touch('transient', step, index, step.transientAt, step.opcode === TSTORE)
        break
    }
  }

  /** Fills in values that the run itself does not reveal. */
  settle(): void {
    const before = this.#before()
    this.slots.settle((address, slot) => {
      const value = before.storage(parseData(address), parseData(slot))
      return value === undefined ? ZERO : formatData(value)
    })
  }

  #touch(
    kind: 'slot' | 'transient',
    { bytes, error }: StepRecord,
    step: number,
    at: number,
    isWrite: boolean,
  ): void {
    if (at === 0 || error !== undefined) return
    const { address, index: call } = this.#calls.running
    const slot = wordHex(bytes, at)
    if (isWrite) {
      this.slots.write(kind, address, slot, { step, call, bytes, at: at + 32 })
    } else {
      const value = kind === 'slot' ? wordHex(bytes, at + 32) : ZERO
      this.slots.read(kind, address, slot, step, value)
    }
  }

  /** Returns true if a failed frame reverted the write: it reverts those of its nested frames too. */
  #isUndone(call: number, at: number): boolean {
    let node: IndexedCall | undefined = this.calls[call]
    while (node !== undefined) {
      if (node.fault !== undefined && node.endStep <= at) return true
      node = node.parent === undefined ? undefined : this.calls[node.parent]
    }
    return false
  }
}

/** Returns the word at an address of the engine's memory, whose limbs are little-endian. */
export function wordHex(bytes: Uint8Array, at: number): Hex {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 32)
  let word = 0n
  for (let limb = 24; limb >= 0; limb -= 8) word = (word << 64n) | view.getBigUint64(limb, true)
  return `0x${word.toString(16).padStart(64, '0')}`
}
