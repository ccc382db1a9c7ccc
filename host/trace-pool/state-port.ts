import { bytesKey } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import { fromPlainError, type PlainError, toPlainError } from '../base/plain-error.ts'
import type { Need } from '../engine/need.ts'
import type { StateView } from '../state/view.ts'
import type { KnownAccount } from './state-ahead.ts'

/** A read of the state: a need that a view answers. */
export type StateRead = Exclude<Need, { kind: 'host' | 'yield' }>

/**
 * Shared memory through which a thread reads a state: a flag, a number of reads and a number of bytes of
 * answers; then the reads; then one answer after another, each its length (-1: absent) and its bytes,
 * padded to words. A message that carried the reads would cost the answering thread half as much again.
 */
export type StateArea = SharedArrayBuffer

const FLAG = 0
const COUNT = 1
const SIZE = 2
const CONTROL_WORDS = 3

/** A read: its kind in a word, an address, and a word of 32 bytes. */
const KINDS = ['account', 'storage', 'code', 'blockHash'] as const
const ADDRESS_AT = 4
const WORD_AT = 24
const READ_BYTES = 56

const WAITING = 0
const ANSWERED = 1
const REFUSED = 2

const ABSENT = -1

/** Reads in one go: well below a millisecond of the answering thread. */
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

/** Copies: what a view is asked with it may keep. */
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

/** Answers the reads of a thread that waits for them. Nothing is thrown: what fails is its answer. */
export function answerReads(view: StateView, area: StateArea): void {
  const control = new Int32Array(area, 0, CONTROL_WORDS)
  let flag = ANSWERED
  try {
    control[SIZE] = writeAnswers(view, control[COUNT] as number, area)
  } catch (thrown) {
    flag = REFUSED
    const text = new TextEncoder().encode(JSON.stringify(toPlainError(thrown), textOfBigint))
    new Uint8Array(area, ANSWERS_AT).set(text)
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
  readonly #area: StateArea
  readonly #ring: () => void
  /** Accounts that need not be asked for. */
  readonly #known: Map<string, Uint8Array | undefined>
  /** Accounts that are not there: they have no storage to ask for. */
  readonly #absent = new Set<string>()

  /** `ring` tells the other thread that reads wait. */
  constructor(area: StateArea, ring: () => void, known: readonly KnownAccount[] = []) {
    this.#known = new Map(known.map(({ address, record }) => [bytesKey(address), record]))
    this.#area = area
    this.#control = new Int32Array(area, 0, CONTROL_WORDS)
    this.#ring = ring
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const key = bytesKey(address)
    const record = this.#known.has(key)
      ? this.#known.get(key)
      : this.#readOne({ kind: 'account', address })
    if (record === undefined) this.#absent.add(key)
    return record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    if (this.#absent.has(bytesKey(address))) return undefined
    return this.#readOne({ kind: 'storage', address, slot })
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#readOne({ kind: 'code', codeHash }) as Uint8Array
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#readOne({ kind: 'blockHash', number })
  }

  /** Reads accounts that will be needed and are not known, many in one go. */
  readAhead(addresses: Iterable<Uint8Array>): void {
    const wanted = new Map(Array.from(addresses, (address) => [bytesKey(address), address]))
    const entries = [...wanted].filter(([key]) => !this.#known.has(key))
    for (let from = 0; from < entries.length; from += READS_AT_ONCE) {
      const some = entries.slice(from, from + READS_AT_ONCE)
      const answers = this.#read(some.map(([, address]) => ({ kind: 'account', address })))
      for (const [i, [key]] of some.entries()) this.#known.set(key, answers[i])
    }
  }

  #readOne(asked: StateRead): Uint8Array | undefined {
    return this.#read([asked])[0]
  }

  #read(reads: readonly StateRead[]): (Uint8Array | undefined)[] {
    const control = this.#control
    writeReads(reads, this.#area)
    control[COUNT] = reads.length
    Atomics.store(control, FLAG, WAITING)
    this.#ring()
    Atomics.wait(control, FLAG, WAITING)
    const size = control[SIZE] as number
    if (Atomics.load(control, FLAG) === REFUSED) {
      const text = Buffer.from(this.#area, ANSWERS_AT, size).toString()
      throw fromPlainError(JSON.parse(text) as PlainError)
    }
    // Copied out: the next read writes over it.
    const bytes = new Uint8Array(this.#area, ANSWERS_AT, size).slice()
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
