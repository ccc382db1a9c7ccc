import { bytesKey } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import type { Need } from '../engine/need.ts'
import type { StateView } from '../state/view.ts'
import { fromPlainError, type PlainError, toPlainError } from './plain-error.ts'

/** A read of the state: a need that a view answers. */
export type StateRead = Exclude<Need, { kind: 'host' | 'yield' }>

/** Asks the thread that holds the state; the answers come through the area. */
export type AskState = (reads: readonly StateRead[]) => void

/**
 * Shared memory through which a thread's reads are answered: a flag and a number of bytes, then one answer
 * after another, each its length (-1: absent) and its bytes, padded to words.
 */
export type AnswerArea = SharedArrayBuffer

const FLAG = 0
const SIZE = 1
const CONTROL_BYTES = 8
/** The longest answer that the engine takes, with its length. */
const ANSWER_BYTES = 4 + 2 * 1024 * 1024

const WAITING = 0
const ANSWERED = 1
const REFUSED = 2

const ABSENT = -1

/** Reads in one message: well below a millisecond of the answering thread. */
const READS_AT_ONCE = 64

export function newAnswerArea(): AnswerArea {
  return new SharedArrayBuffer(CONTROL_BYTES + ANSWER_BYTES)
}

function read(view: StateView, asked: StateRead): Uint8Array | undefined {
  switch (asked.kind) {
    case 'account':
      return view.account(asked.address)
    case 'storage':
      return view.storage(asked.address, asked.slot)
    case 'code':
      return view.code(asked.codeHash)
    case 'blockHash':
      return view.blockHash(asked.number)
  }
}

function writeAnswers(view: StateView, reads: readonly StateRead[], area: AnswerArea): number {
  const lengths = new Int32Array(area, CONTROL_BYTES)
  const bytes = new Uint8Array(area, CONTROL_BYTES)
  let at = 0
  for (const asked of reads) {
    const answer = read(view, asked)
    lengths[at >> 2] = answer?.length ?? ABSENT
    at += 4
    if (answer === undefined) continue
    if (at + answer.length > bytes.length) {
      throw new LockstepError('ENGINE_FAULT', `an answer of ${answer.length} bytes is too long`)
    }
    bytes.set(answer, at)
    at += (answer.length + 3) & ~3
  }
  return at
}

/** Answers the reads of a thread that waits for them. Nothing is thrown: what fails is its answer. */
export function answerReads(view: StateView, reads: readonly StateRead[], area: AnswerArea): void {
  const control = new Int32Array(area, 0, 2)
  let flag = ANSWERED
  try {
    control[SIZE] = writeAnswers(view, reads, area)
  } catch (thrown) {
    flag = REFUSED
    const text = new TextEncoder().encode(JSON.stringify(toPlainError(thrown), textOfBigint))
    new Uint8Array(area, CONTROL_BYTES).set(text)
    control[SIZE] = text.length
  }
  Atomics.store(control, FLAG, flag)
  Atomics.notify(control, FLAG)
}

function textOfBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/**
 * The state that another thread holds. A read stops this thread until it is answered: some 20 us, in which
 * there is nothing else for an engine to do.
 */
export class RemoteState implements StateView {
  readonly #control: Int32Array
  readonly #area: AnswerArea
  readonly #ask: AskState
  /** Accounts that were asked for ahead. */
  readonly #ahead = new Map<string, Uint8Array | undefined>()

  constructor(area: AnswerArea, ask: AskState) {
    this.#area = area
    this.#control = new Int32Array(area, 0, 2)
    this.#ask = ask
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const key = bytesKey(address)
    if (this.#ahead.has(key)) return this.#ahead.get(key)
    return this.#readOne({ kind: 'account', address })
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    return this.#readOne({ kind: 'storage', address, slot })
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#readOne({ kind: 'code', codeHash }) as Uint8Array
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#readOne({ kind: 'blockHash', number })
  }

  /** Reads accounts that will be needed, many in one message. */
  readAhead(addresses: Iterable<Uint8Array>): void {
    const wanted = new Map(Array.from(addresses, (address) => [bytesKey(address), address]))
    const entries = [...wanted]
    for (let from = 0; from < entries.length; from += READS_AT_ONCE) {
      const some = entries.slice(from, from + READS_AT_ONCE)
      const answers = this.#read(some.map(([, address]) => ({ kind: 'account', address })))
      for (const [i, [key]] of some.entries()) this.#ahead.set(key, answers[i])
    }
  }

  #readOne(asked: StateRead): Uint8Array | undefined {
    return this.#read([asked])[0]
  }

  #read(reads: readonly StateRead[]): (Uint8Array | undefined)[] {
    const control = this.#control
    Atomics.store(control, FLAG, WAITING)
    this.#ask(reads)
    Atomics.wait(control, FLAG, WAITING)
    const size = control[SIZE] as number
    if (Atomics.load(control, FLAG) === REFUSED) {
      const text = Buffer.from(this.#area, CONTROL_BYTES, size).toString()
      throw fromPlainError(JSON.parse(text) as PlainError)
    }
    // Copied out: the next read writes over it.
    const bytes = new Uint8Array(this.#area, CONTROL_BYTES, size).slice()
    const lengths = new DataView(bytes.buffer)
    const answers: (Uint8Array | undefined)[] = []
    for (let at = 0; answers.length < reads.length; ) {
      const length = lengths.getInt32(at, true)
      at += 4
      answers.push(length === ABSENT ? undefined : bytes.subarray(at, at + length))
      at += (Math.max(length, 0) + 3) & ~3
    }
    return answers
  }
}
