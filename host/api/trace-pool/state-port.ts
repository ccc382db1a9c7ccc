import { LockstepError } from '../../base/error.ts'
import { fromPlainError, type PlainError, toPlainError } from '../../base/plain-error.ts'
import type { Need } from '../../evm/engine/need.ts'
import { MissingState } from '../../evm/state/missing-state.ts'
import type { StateView } from '../../evm/state/view.ts'

/** A state read that a view can answer. */
export type StatePortRead = Exclude<Need, { kind: 'host' | 'yield' }>

/**
 * Shared memory through which a thread reads a state. Each part has one writer: the requesting thread writes the
 * words ASKED, RUN and COUNT and the reads; the answering thread writes ANSWERED, STATUS and SIZE and the answers.
 * Answers are consecutive: a length (-1: absent) and the bytes, padded to words. Sending the reads in a message would
 * cost the answering thread half as much again.
 */
export type StateArea = SharedArrayBuffer

/** Number of the pending batch of reads; written last. */
const ASKED = 0
/** The run of the reads. */
const RUN = 1
const COUNT = 2
/** Number of the answered batch of reads; written last. */
const ANSWERED = 3
const STATUS = 4
/** Size of the answers in bytes. */
const SIZE = 5
const CONTROL_WORDS = 6

/** Layout of a read: a kind word, an address, and a 32-byte word. */
const KINDS = ['account', 'storage', 'code', 'blockHash'] as const
const ADDRESS_AT = 4
const WORD_AT = 24
const READ_BYTES = 56

const WHOLE = 0
const REFUSED = 1

const ABSENT = -1

/** Maximum reads per batch: answering them takes well below a millisecond. */
export const READS_AT_ONCE = 64

const READS_AT = 4 * CONTROL_WORDS
const ANSWERS_AT = READS_AT + READS_AT_ONCE * READ_BYTES
/** The longest answer that the engine accepts, with its length word. */
const ANSWER_BYTES = 4 + 2 * 1024 * 1024

export function newStateArea(): StateArea {
  return new SharedArrayBuffer(ANSWERS_AT + ANSWER_BYTES)
}

function writeReads(reads: readonly StatePortRead[], area: StateArea): void {
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

/** Copies the operands, because a view may retain them. */
function readAt(area: StateArea, index: number): StatePortRead {
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

function read(view: StateView, asked: StatePortRead): Uint8Array | undefined {
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

/** Returns the next sequence number; wraps after 2^32. */
function after(number: number): number {
  return (number + 1) | 0
}

function outOfStep(text: string): LockstepError {
  return new LockstepError('ENGINE_FAULT', `state reader and state owner are out of step: ${text}`)
}

/** The answering side. */
export class StateAnswers {
  readonly #area: StateArea
  readonly #control: Int32Array
  #answered = 0

  constructor(area: StateArea) {
    this.#area = area
    this.#control = new Int32Array(area, 0, CONTROL_WORDS)
  }

  /**
   * Answers the batch of reads with that number from the view of its run: synchronously, or after the missing values
   * have been fetched. An error of the view becomes the answer.
   * @throws ENGINE_FAULT if other reads are pending, or the run has no view.
   */
  answer(number: number, viewOf: (run: number) => StateView | undefined): void {
    const control = this.#control
    const asked = Atomics.load(control, ASKED)
    if (asked !== number || asked !== after(this.#answered)) {
      throw outOfStep(`notified of reads ${number}, found ${asked} after ${this.#answered}`)
    }
    const run = control[RUN] as number
    const view = viewOf(run)
    if (view === undefined)
      throw outOfStep(`reads ${asked} are for run ${run}, which does not exist`)
    this.#answered = asked
    this.#write(view, asked)
  }

  #write(view: StateView, asked: number): void {
    const control = this.#control
    try {
      control[SIZE] = writeAnswers(view, control[COUNT] as number, this.#area)
      control[STATUS] = WHOLE
    } catch (thrown) {
      if (thrown instanceof MissingState) {
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

  /** Fetches all missing values; if that fails, returns a view that throws the error on each read. */
  async #fetch(view: StateView): Promise<StateView | undefined> {
    const absent: MissingState[] = []
    for (let i = 0; i < (this.#control[COUNT] as number); i++) {
      try {
        read(view, readAt(this.#area, i))
      } catch (thrown) {
        if (thrown instanceof MissingState) absent.push(thrown)
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

/** Returns a view that throws the error on each read. */
export function failingView(thrown: unknown): StateView {
  const fail = (): never => {
    throw thrown
  }
  return { account: fail, storage: fail, code: fail, blockHash: fail }
}

/** The requesting side: all runs of a thread, one batch of reads at a time. */
export class StatePort {
  readonly #area: StateArea
  readonly #control: Int32Array
  readonly #notify: (number: number) => void
  #asked = 0

  /** @param notify tells the other thread that the reads of a number are pending */
  constructor(area: StateArea, notify: (number: number) => void) {
    this.#area = area
    this.#control = new Int32Array(area, 0, CONTROL_WORDS)
    this.#notify = notify
  }

  /**
   * Reads at most READS_AT_ONCE values from the view of a run. Blocks this thread until they are answered: some 20
   * us, in which the engine has no other work.
   * @throws the error of the view; ENGINE_FAULT if the answer is for other reads.
   */
  ask(run: number, reads: readonly StatePortRead[]): (Uint8Array | undefined)[] {
    const control = this.#control
    const before = this.#asked
    const asked = after(before)
    this.#asked = asked
    writeReads(reads, this.#area)
    control[RUN] = run
    control[COUNT] = reads.length
    Atomics.store(control, ASKED, asked)
    this.#notify(asked)
    // Checks the word rather than the wake-up: a late notify for one answer may end the wait for the next.
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

/** Copies the answers, because the next ones overwrite them. */
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
