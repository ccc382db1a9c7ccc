import { EMPTY_BYTES } from '../../base/bytes.ts'
import { faultText, isRefusal } from './fault.ts'
import { SLOAD, SSTORE, TLOAD, TSTORE } from './generated/opcode.ts'
import type { EngineMemory } from './memory.ts'
import type { StepEncoder } from './step-text.ts'
import type { EnterEvent, ExitEvent, StepRecord, StepText } from './trace-event.ts'

/** Layout of a step in 32-bit fields (assembly/trace/trace-buffer.ts, emitStep). */
const SIZE = 1
const OPCODE = 2
const DEPTH = 3
const PC = 4
const MEMORY_SIZE = 5
const GAS = 6
const COST = 8
const REFUND = 10
const STACK_HEIGHT = 12
const FAULT = 13
const DETAIL = 56
const WORDS = 64

const TWO_32 = 2 ** 32

/** State of a cursor's frame tracking at a step. */
export interface FollowedFrames {
  /** For each open frame, true if it creates a contract. */
  readonly creations: readonly boolean[]
  readonly returnData: Uint8Array
}

/** Cursor over the steps of a message. `move` sets it to a record. */
export class StepCursor implements StepRecord {
  readonly bytes: Uint8Array
  returnData: Uint8Array
  readonly #memory: EngineMemory
  readonly #encoder: StepEncoder
  readonly #fields: Uint32Array
  /** For each open frame, true if it creates a contract. */
  readonly #creations: boolean[]
  #at = 0

  /** Starts from `followed`. */
  constructor(memory: EngineMemory, encoder: StepEncoder, followed?: FollowedFrames) {
    this.returnData = followed?.returnData ?? EMPTY_BYTES
    this.#creations = [...(followed?.creations ?? [])]
    this.#memory = memory
    this.#encoder = encoder
    this.bytes = memory.bytes
    this.#fields = new Uint32Array(memory.bytes.buffer)
  }

  get followed(): FollowedFrames {
    return { creations: [...this.#creations], returnData: this.returnData }
  }

  /** Moves to the record at an address. */
  move(at: number): void {
    this.#at = at >> 2
  }

  /** Tracks the return data: empty when a frame starts, its output when it ends. */
  enter({ type }: EnterEvent): void {
    this.#creations.push(type === 'CREATE' || type === 'CREATE2')
    this.returnData = EMPTY_BYTES
  }

  exit({ reverted, output }: ExitEvent): void {
    // Unless it reverts, a creation's output is code, and return data is empty (EIP-211).
    const isCode = this.#creations.pop() === true && !reverted
    this.returnData = isCode ? EMPTY_BYTES : output
  }

  get opcode(): number {
    return this.#fields[this.#at + OPCODE] as number
  }

  get depth(): number {
    return this.#fields[this.#at + DEPTH] as number
  }

  get pc(): number {
    return this.#fields[this.#at + PC] as number
  }

  get memorySize(): number {
    return this.#fields[this.#at + MEMORY_SIZE] as number
  }

  get gas(): number {
    return this.#number(this.#at + GAS)
  }

  get cost(): number {
    return this.#number(this.#at + COST)
  }

  get refund(): number {
    const low = this.#fields[this.#at + REFUND] as number
    return ((this.#fields[this.#at + REFUND + 1] as number) | 0) * TWO_32 + low
  }

  get stackHeight(): number {
    return this.#fields[this.#at + STACK_HEIGHT] as number
  }

  get error(): string | undefined {
    const fault = this.#fields[this.#at + FAULT] as number
    return fault === 0 ? undefined : faultText(fault, this.#detail)
  }

  get #detail(): bigint {
    return this.#memory.u64((this.#at << 2) + DETAIL)
  }

  get isRefused(): boolean {
    const fault = this.#fields[this.#at + FAULT] as number
    return fault !== 0 && isRefusal(fault, this.#detail)
  }

  get stackAt(): number {
    return (this.#at << 2) + WORDS
  }

  get slotAt(): number {
    return this.#keyAt(SLOAD, SSTORE)
  }

  get transientAt(): number {
    return this.#keyAt(TLOAD, TSTORE)
  }

  wordAt(index: number): bigint {
    return this.#memory.word(this.stackAt + 32 * index)
  }

  encode(hasStack: boolean): StepText {
    return this.#encoder.encode(this.#at << 2, hasStack)
  }

  /** Returns the address of the key if the step is the reading or the writing opcode and has its operands; else 0. */
  #keyAt(read: number, write: number): number {
    const { opcode } = this
    const needed = opcode === read ? 1 : opcode === write ? 2 : Number.POSITIVE_INFINITY
    if (this.stackHeight < needed) return 0
    return (this.#at << 2) + (this.#fields[this.#at + SIZE] as number) - 64
  }

  #number(field: number): number {
    return (this.#fields[field + 1] as number) * TWO_32 + (this.#fields[field] as number)
  }
}
