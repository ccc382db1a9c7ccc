import { parseData } from '../../base/hex.ts'
import type { StepOptions, StepRecord, TraceEvent } from '../../engine/trace-event.ts'
import { FrameMemories } from '../../trace/tracers/frame-memory.ts'
import type { Changed, StepView } from '../stepper.ts'
import type { IndexedCall } from './call-index.ts'
import { rowOf } from './step-row.ts'
import type { StepVisitor } from './step-walk.ts'
import type { TransactionIndex } from './transaction-index.ts'
import { writtenPlaces } from './written-places.ts'

interface MemoryRange {
  readonly offset: number
  readonly size: number
}

/** What a step of the frame wrote. */
interface FrameStep {
  readonly index: number
  readonly places: readonly number[]
  readonly ranges: MemoryRange[]
}

/** Looks at one step in full. */
export class StepLens implements StepVisitor {
  readonly steps: StepOptions = { stack: true, memory: true }
  view: StepView | undefined
  readonly #known: TransactionIndex
  readonly #target: number
  readonly #memories = new FrameMemories()
  /** The newest step of each open frame. */
  readonly #newest: (FrameStep | undefined)[] = []

  constructor(known: TransactionIndex, target: number) {
    this.#known = known
    this.#target = target
  }

  onEvent(event: TraceEvent): void {
    if (event.kind === 'enter') {
      this.#newest.push(undefined)
      this.#memories.enter(event.depth + 1)
    } else if (event.kind === 'exit') {
      this.#newest.pop()
    }
  }

  onMemory(call: number, writer: number, offset: number, bytes: Uint8Array): void {
    const { depth } = this.#known.calls[call] as IndexedCall
    this.#memories.write(depth, offset, bytes)
    const newest = this.#newest[depth - 1]
    if (newest?.index === writer) newest.ranges.push({ offset, size: bytes.length })
  }

  onStep(step: StepRecord, index: number, call: number): void {
    if (index > this.#target) return
    const { depth, opcode, stackHeight } = step
    if (index === this.#target) {
      this.view = this.#look(step, index, this.#known.calls[call] as IndexedCall)
      return
    }
    this.#newest[depth - 1] = { index, places: writtenPlaces(opcode, stackHeight), ranges: [] }
  }

  #look(step: StepRecord, index: number, call: IndexedCall): StepView {
    const { address, codeAddress, codeHash, depth } = call
    const { slots } = this.#known
    return {
      ...rowOf(step, index, call),
      refund: step.refund,
      address,
      codeAddress,
      codeHash,
      stack: Array.from({ length: step.stackHeight }, (_, place) => step.wordAt(place)),
      memory: this.#memories.read(depth, step.memorySize).slice(),
      returnData: step.returnData.slice(),
      input: call.type.startsWith('CREATE') ? new Uint8Array(0) : parseData(call.input),
      storage: slots.slotsAt('slot', address, index),
      transient: slots.slotsAt('transient', address, index),
      changed: this.#changed(this.#newest[depth - 1], index, address),
    }
  }

  #changed(before: FrameStep | undefined, index: number, address: IndexedCall['address']): Changed {
    if (before === undefined) return { stack: [], memory: [], storage: [], transient: [] }
    const { slots } = this.#known
    return {
      stack: before.places,
      memory: before.ranges,
      storage: slots.writtenSince('slot', address, before.index, index),
      transient: slots.writtenSince('transient', address, before.index, index),
    }
  }
}
