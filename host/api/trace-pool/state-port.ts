import { LockstepError } from '../../base/error.ts'
import { fromPlainError, type PlainError, toPlainError } from '../../base/plain-error.ts'
import type { Need } from '../../evm/engine/need.ts'
import { AbsentPart } from '../../evm/state/absent-part.ts'
import type { StateView } from '../../evm/state/view.ts'

/** A read of the state: a need that a view answers. */
export type StateRead = Exclude<Need, { kind: 'host' | 'yield' }>

/**
 * Shared memory through which a thread reads a state. Each half has one writer: the thread that asks writes
 * the words ASKED, RUN and COUNT and the reads, the one that answers ANSWERED, STATUS and SIZE and the
 * answers, one after another: the length (-1: absent) and the bytes, padded to words. A message that
 * carried the reads would cost the answering thread half as much again.
 */
export type StateArea = SharedArrayBuffer

/** Number of the reads that wait; written last. */
const ASKED = 0
/** The run that they are for. */
const RUN = 1
const COUNT = 2
/** Number of the reads that were answered; written last. */
const ANSWERED = 3
const STATUS = 4
/** Bytes of answers. */
const SIZE = 5
const CONTROL_WORDS = 6

/** A read: its kind in a word, an address, and a word of 32 bytes. */
const KINDS = ['account', 'storage', 'code', 'blockHash'] as const
const ADDRESS_AT = 4
const WORD_AT = 24
const READ_BYTES = 56

const WHOLE = 0
const REFUSED = 1

const ABSENT = -1

/** Reads in one go: they take the answering thread well below a millisecond. */
export const READS_AT_ONCE = 64

const READS_AT = 4 * CONTROL_WORDS
const ANSWERS_AT = READS_AT + READS_AT_ONCE * READ_BYTES
/** The longest answer that the engine takes, with its length. */
const ANSWER_BYTES = 4 + 2 * 1024 * 1024

export function newStateArea(): StateArea {
  return new SharedArrayBuffer(ANSWERS_AT + ANSWER_BYTES)
}

function writeReads(reads: readonly StateRead[], area: StateArea): void {
  const view = new DataView(area, READS_AT)
  const bytes = new Uint8Array(area, READS_AT)
  for (const [i, asked] of reads.entries()) {
    const at = i * READ_BYTES
    view.setUint32(at, KINDS.indexOf(asked.kind))
    switch (asked.kind) {
      case 'account':
        bytes.set(asked.address, at + ADDRESS_AT)
        break
      case 'storage':
        bytes.set(asked.address, at + ADDRESS_AT)
        bytes.set(asked.slot, at + WORD_AT)
        break
      case 'code':
        bytes.set(asked.codeHash, at + WORD_AT)
        break
      case 'blockHash':
        view.setFloat64(at + WORD_AT, asked.number)
        break
    }
  }
}

/** Copies the operands: a view may keep them. */
function readAt(area: StateArea, index: number): StateRead {
  const at = READS_AT + index * READ_BYTES
  const view = new DataView(area, at)
  const copy = (from: number, length: number) => new Uint8Array(area, at + from, length).slice()
  switch (KINDS[view.getUint32(0)]) {
    case 'account':
      return { kind: 'account', address: copy(ADDRESS_AT, 20) }
    case 'storage':
      return { kind: 'storage', address: copy(ADDRESS_AT, 20), slot: copy(WORD_AT, 32) }
    case 'code':
      return { kind: 'code', codeHash: copy(WORD_AT, 32) }
    default:
      return { kind: 'blockHash', number: view.getFloat64(WORD_AT) }
  }
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

function writeAnswers(view: StateView, count: number, area: StateArea): number {
  const lengths = new Int32Array(area, ANSWERS_AT)
  const bytes = new Uint8Array(area, ANSWERS_AT)
  let at = 0
  for (let i = 0; i < count; i++) {
    const answer = read(view, readAt(area, i))
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

function textOfBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** The number after another; it goes round after 2^32 of them. */
function after(number: number): number {
  return (number + 1) | 0
}

function outOfStep(text: string): LockstepError {
  return new LockstepError(
    'ENGINE_FAULT',
    `the threads that read and hold a state disagree: ${text}`,
  )
}

/** The side that answers. */
export class StateAnswers {
  readonly #area: StateArea
  readonly #control: Int32Array
  #answered = 0

  constructor(area: StateArea) {
    this.#area = area
    this.#control = new Int32Array(area, 0, CONTROL_WORDS)
  }

  /**
   * Answers the reads of that number from the view of their run: at once, or when the parts that the view lacks have
   * come. An error of the view is their answer.
   * @throws ENGINE_FAULT where other reads wait, or no view of their run is known.
   */
  answer(number: number, viewOf: (run: number) => StateView | undefined): void {
    const control = this.#control
    const asked = Atomics.load(control, ASKED)
    if (asked !== number || asked !== after(this.#answered)) {
      throw outOfStep(`told of reads ${number}, found ${asked} after ${this.#answered}`)
    }
    const run = control[RUN] as number
    const view = viewOf(run)
    if (view === undefined) throw outOfStep(`reads ${asked} are for run ${run}, which is not known`)
    this.#answered = asked
    this.#write(view, asked)
  }

  #write(view: StateView, asked: number): void {
    const control = this.#control
    try {
      control[SIZE] = writeAnswers(view, control[COUNT] as number, this.#area)
      control[STATUS] = WHOLE
    } catch (thrown) {
      if (thrown instanceof AbsentPart) {
        void this.#fetch(view).then((failed) => this.#write(failed ?? view, asked))
        return
      }
      const text = new TextEncoder().encode(JSON.stringify(toPlainError(thrown), textOfBigint))
      new Uint8Array(this.#area, ANSWERS_AT).set(text)
      control[SIZE] = text.length
      control[STATUS] = REFUSED
    }
    Atomics.store(control, ANSWERED, asked)
    Atomics.notify(control, ANSWERED)
  }

  /** Waits for all that the reads lack; where that fails, gives a view whose every read does. */
  async #fetch(view: StateView): Promise<StateView | undefined> {
    const absent: AbsentPart[] = []
    for (let i = 0; i < (this.#control[COUNT] as number); i++) {
      try {
        read(view, readAt(this.#area, i))
      } catch (thrown) {
        if (thrown instanceof AbsentPart) absent.push(thrown)
      }
    }
    try {
      await Promise.all(absent.map((part) => part.arrival()))
      return undefined
    } catch (thrown) {
      return failingView(thrown)
    }
  }
}

function failingView(thrown: unknown): StateView {
  const fail = (): never => {
    throw thrown
  }
  return { account: fail, storage: fail, code: fail, blockHash: fail }
}

/** The side that asks: all runs of a thread, one read at a time. */
export class StatePort {
  readonly #area: StateArea
  readonly #control: Int32Array
  readonly #notify: (number: number) => void
  #asked = 0

  /** `notify` tells the other thread that the reads of a number wait. */
  constructor(area: StateArea, notify: (number: number) => void) {
    this.#area = area
    this.#control = new Int32Array(area, 0, CONTROL_WORDS)
    this.#notify = notify
  }

  /**
   * At most READS_AT_ONCE reads, answered from the view of a run. This thread stops until they are: some
   * 20 us, in which there is nothing else for an engine to do.
   * @throws what the view throws; ENGINE_FAULT where the answer is to other reads.
   */
  ask(run: number, reads: readonly StateRead[]): (Uint8Array | undefined)[] {
    const control = this.#control
    const before = this.#asked
    const asked = after(before)
    this.#asked = asked
    writeReads(reads, this.#area)
    control[RUN] = run
    control[COUNT] = reads.length
    Atomics.store(control, ASKED, asked)
    this.#notify(asked)
    // The word decides and not the wake-up: a notify that was late for one answer may come during the next
    // wait.
    let answered = Atomics.load(control, ANSWERED)
    for (; answered === before; answered = Atomics.load(control, ANSWERED)) {
      Atomics.wait(control, ANSWERED, before)
    }
    if (answered !== asked) throw outOfStep(`reads ${asked} were answered as ${answered}`)
    const size = control[SIZE] as number
    if (control[STATUS] === REFUSED) {
      const text = Buffer.from(this.#area, ANSWERS_AT, size).toString()
      throw fromPlainError(JSON.parse(text) as PlainError)
    }
    return takeAnswers(this.#area, reads.length, size)
  }
}

/** Copies the answers: the next ones are written over them. */
function takeAnswers(area: StateArea, count: number, size: number): (Uint8Array | undefined)[] {
  const bytes = new Uint8Array(area, ANSWERS_AT, size).slice()
  const lengths = new DataView(bytes.buffer)
  const answers: (Uint8Array | undefined)[] = []
  let at = 0
  while (answers.length < count) {
    const length = lengths.getInt32(at, true)
    at += 4
    answers.push(length === ABSENT ? undefined : bytes.subarray(at, at + length))
    at += (Math.max(length, 0) + 3) & ~3
  }
  if (at !== size)
    throw outOfStep(`${count} reads were answered with ${size} bytes, ${at} expected`)
  return answers
}
