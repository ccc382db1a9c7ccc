import type { StepRecord } from '../../engine/trace-event.ts'
import type { BorrowedValue, HeapValue, Realm } from './quickjs.ts'
import {
  ANSWER_KIND,
  BUFFER_FIELD,
  QUESTIONS,
  type ScriptQuestion,
  STACK_AT,
  STACK_WORDS,
  WINDOW_AT,
  WINDOW_BYTES,
} from './shared-buffer.ts'

/** A step as visible to scripts. */
export type ScriptStep = Pick<
  StepRecord,
  | 'opcode'
  | 'depth'
  | 'pc'
  | 'gas'
  | 'cost'
  | 'refund'
  | 'memorySize'
  | 'stackHeight'
  | 'error'
  | 'bytes'
  | 'stackAt'
>

/** Operands of a question. Bytes are copies. */
export interface Operands {
  readonly address: Uint8Array
  /** 32 bytes: a slot key or a salt. */
  readonly key: Uint8Array
  readonly first: number
  readonly second: number
  /** The argument, or the first `first` bytes of the window if there is none. */
  readonly bytes: Uint8Array
}

export type ScriptAnswer = Uint8Array | bigint | number | boolean | string | undefined

/** Stack words copied with each step: the operands of a call, and one more. */
const COMMON_WORDS = 8

const TWO_32 = 2 ** 32

/** Host side of the shared buffer in the script's heap. */
export class ScriptExchange {
  /** Operands of the last question. They are read from the buffer on access. */
  readonly operands: Operands
  readonly #realm: Realm
  readonly #at: number
  #record: ScriptStep | undefined
  #argument: BorrowedValue | undefined
  /** True if the script reads the stack. Each step then includes the words that most opcodes use. */
  #isPeeking = false

  constructor(realm: Realm, at: number) {
    this.#realm = realm
    this.#at = at
    this.operands = this.#readOperands()
  }

  writeStep(record: ScriptStep, isFailed: boolean): void {
    this.#record = record
    const fields = this.#realm.heap
    const at = this.#at >> 2
    const { gas, cost, refund } = record
    fields[at + BUFFER_FIELD.opcode] = record.opcode
    fields[at + BUFFER_FIELD.depth] = record.depth
    fields[at + BUFFER_FIELD.pc] = record.pc
    fields[at + BUFFER_FIELD.memorySize] = record.memorySize
    fields[at + BUFFER_FIELD.gas] = gas
    fields[at + BUFFER_FIELD.gas + 1] = gas / TWO_32
    fields[at + BUFFER_FIELD.cost] = cost
    fields[at + BUFFER_FIELD.cost + 1] = cost / TWO_32
    fields[at + BUFFER_FIELD.refund] = refund
    fields[at + BUFFER_FIELD.refund + 1] = refund / TWO_32
    fields[at + BUFFER_FIELD.stackHeight] = record.stackHeight
    fields[at + BUFFER_FIELD.stackFrom] = record.stackHeight
    fields[at + BUFFER_FIELD.isFailed] = isFailed ? 1 : 0
    if (this.#isPeeking) this.#writeStack(record, COMMON_WORDS)
  }

  /** Writes the whole stack of the last step. */
  writeWholeStack(): void {
    this.#isPeeking = true
    if (this.#record !== undefined) this.#writeStack(this.#record, STACK_WORDS)
  }

  /** Takes the sandbox's question with its operands. `argument` is borrowed until the answer. */
  takeQuestion(argument: BorrowedValue | undefined): ScriptQuestion {
    this.#argument = argument
    return QUESTIONS[this.#field(BUFFER_FIELD.question)] as ScriptQuestion
  }

  /** Returns the message of a `fail` question. */
  get failure(): string {
    return String.fromCharCode(...this.#window(0, this.#field(BUFFER_FIELD.length)))
  }

  /** Writes an answer. Text and long bytes become the value that the host function must return. */
  write(answer: ScriptAnswer): HeapValue | undefined {
    const fields = this.#realm.heap
    const at = this.#at >> 2
    switch (typeof answer) {
      case 'undefined':
        fields[at + BUFFER_FIELD.kind] = ANSWER_KIND.none
        return undefined
      case 'number':
      case 'boolean':
        fields[at + BUFFER_FIELD.kind] =
          typeof answer === 'number' ? ANSWER_KIND.number : ANSWER_KIND.boolean
        fields[at + BUFFER_FIELD.number] = Number(answer)
        fields[at + BUFFER_FIELD.number + 1] = Number(answer) / TWO_32
        return undefined
      case 'bigint':
        fields[at + BUFFER_FIELD.kind] = ANSWER_KIND.word
        this.#writeWord(answer)
        return undefined
      case 'string':
        fields[at + BUFFER_FIELD.kind] = ANSWER_KIND.text
        return this.#realm.newString(answer)
      default:
        fields[at + BUFFER_FIELD.kind] = ANSWER_KIND.bytes
        fields[at + BUFFER_FIELD.length] = answer.length
        if (answer.length > WINDOW_BYTES) return this.#realm.newBytes(answer)
        this.#realm.bytes.set(answer, this.#at + WINDOW_AT)
        return undefined
    }
  }

  #writeWord(value: bigint): void {
    const limbs = new BigUint64Array(this.#realm.heap.buffer, this.#at + WINDOW_AT, 4)
    for (let i = 0; i < 4; i++) limbs[i] = value >> BigInt(64 * i)
  }

  /** Copies the top `count` words of the stack. */
  #writeStack({ bytes, stackAt, stackHeight }: ScriptStep, count: number): void {
    const from = Math.max(0, stackHeight - count)
    const words = bytes.subarray(stackAt + 32 * from, stackAt + 32 * stackHeight)
    this.#realm.bytes.set(words, this.#at + STACK_AT + 32 * from)
    this.#realm.heap[(this.#at >> 2) + BUFFER_FIELD.stackFrom] = from
  }

  #readOperands(): Operands {
    const exchange = this
    return {
      get address() {
        return exchange.#window(0, 20)
      },
      get key() {
        return exchange.#window(32, 32)
      },
      get first() {
        return exchange.#number(BUFFER_FIELD.first)
      },
      get second() {
        return exchange.#number(BUFFER_FIELD.second)
      },
      get bytes() {
        const argument = exchange.#argument
        if (argument !== undefined) return exchange.#realm.bytesOf(argument)
        return exchange.#window(0, exchange.#number(BUFFER_FIELD.first))
      },
    }
  }

  #field(field: number): number {
    return this.#realm.heap[(this.#at >> 2) + field] as number
  }

  #number(field: number): number {
    return this.#field(field + 1) * TWO_32 + this.#field(field)
  }

  #window(offset: number, length: number): Uint8Array {
    const from = this.#at + WINDOW_AT + offset
    return this.#realm.bytes.slice(from, from + Math.min(length, WINDOW_BYTES - offset))
  }
}
