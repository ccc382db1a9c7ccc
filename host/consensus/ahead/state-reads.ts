import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { slotKey } from '../../state/recorded-state.ts'
import type { StateView } from '../../state/view.ts'

/**
 * Reads of a thread that runs ahead, which the thread of the chain answers while it executes the block: words that one
 * side writes and the other looks at whenever it passes, since a message would wait for the end of the block's slice.
 */
const ASKED = 0
const ANSWERED = 1
const BLOCK = 2
const KIND = 3
const NUMBER = 4
/** Bytes of the answer, or one of the next. */
const LENGTH = 5
const ABSENT = -1
const REFUSED = -2
const WORDS = 6

const ADDRESS_AT = 4 * WORDS
const SLOT_AT = ADDRESS_AT + 20
const ANSWER_AT = SLOT_AT + 32
/** The longest code of a contract is 24 kB, and of a genesis more: such is not read ahead. */
const ANSWER_BYTES = 64 * 1024

const KINDS = ['account', 'storage', 'code', 'blockHash'] as const

/** Milliseconds after which a thread looks whether its block has ended. */
const LOOK_MS = 5

export function newReadArea(): SharedArrayBuffer {
  return new SharedArrayBuffer(ANSWER_AT + ANSWER_BYTES)
}

/** The side that answers. */
export class StateAnswerer {
  readonly #words: Int32Array
  readonly #area: SharedArrayBuffer
  #answered = 0

  constructor(area: SharedArrayBuffer) {
    this.#area = area
    this.#words = new Int32Array(area, 0, WORDS)
  }

  /** Answers the read that waits, if there is one, from the state before a block; a read of another block is refused. */
  serve(block: number, view: StateView): void {
    const asked = Atomics.load(this.#words, ASKED)
    if (asked === this.#answered) return
    this.#answered = asked
    const isOfBlock = this.#words[BLOCK] === (block | 0)
    this.#words[LENGTH] = isOfBlock ? this.#write(view) : REFUSED
    Atomics.store(this.#words, ANSWERED, asked)
    Atomics.notify(this.#words, ANSWERED)
  }

  #write(view: StateView): number {
    let answer: Uint8Array | undefined
    try {
      answer = this.#read(view)
    } catch {
      // Whoever reads the same in the transaction's turn hears of it
      return REFUSED
    }
    if (answer === undefined) return ABSENT
    if (answer.length > ANSWER_BYTES) return REFUSED
    new Uint8Array(this.#area, ANSWER_AT).set(answer)
    return answer.length
  }

  #read(view: StateView): Uint8Array | undefined {
    const address = new Uint8Array(this.#area, ADDRESS_AT, 20).slice()
    const slot = new Uint8Array(this.#area, SLOT_AT, 32).slice()
    switch (KINDS[this.#words[KIND] as number]) {
      case 'account':
        return view.account(address)
      case 'storage':
        return view.storage(address, slot)
      case 'code':
        return view.code(slot)
      default:
        return view.blockHash(this.#words[NUMBER] as number)
    }
  }
}

const NO_ADDRESS = new Uint8Array(20)
const NO_SLOT = new Uint8Array(32)

/** The state before one block, as the thread that runs ahead sees it: each part is asked for once. */
export class AskedState implements StateView {
  readonly #area: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #block: number
  readonly #isOver: () => boolean
  readonly #accounts: Map<string, Uint8Array | undefined>
  readonly #slots = new Map<string, Uint8Array | undefined>()

  /** `accounts` are known already; `isOver` says that nobody may answer any more. */
  constructor(
    area: SharedArrayBuffer,
    block: number,
    accounts: Map<string, Uint8Array | undefined>,
    isOver: () => boolean,
  ) {
    this.#accounts = accounts
    this.#area = area
    this.#words = new Int32Array(area, 0, WORDS)
    this.#block = block
    this.#isOver = isOver
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const key = bytesKey(address)
    if (this.#accounts.has(key)) return this.#accounts.get(key)
    const record = this.#ask('account', address, NO_SLOT, 0)
    this.#accounts.set(key, record)
    return record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const key = slotKey(address, slot)
    if (this.#slots.has(key)) return this.#slots.get(key)
    const value = this.#ask('storage', address, slot, 0)
    this.#slots.set(key, value)
    return value
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#ask('code', NO_ADDRESS, codeHash, 0) as Uint8Array
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#ask('blockHash', NO_ADDRESS, NO_SLOT, number)
  }

  /** @throws ENGINE_FAULT where the read is not answered: the transaction runs in its place. */
  #ask(
    kind: (typeof KINDS)[number],
    address: Uint8Array,
    slot: Uint8Array,
    number: number,
  ): Uint8Array | undefined {
    const words = this.#words
    new Uint8Array(this.#area, ADDRESS_AT).set(address)
    new Uint8Array(this.#area, SLOT_AT).set(slot)
    words[BLOCK] = this.#block
    words[KIND] = KINDS.indexOf(kind)
    words[NUMBER] = number
    // What was not waited for in an earlier block is refused before this is answered
    const asked = (Atomics.load(words, ASKED) + 1) | 0
    Atomics.store(words, ASKED, asked)
    for (;;) {
      const answered = Atomics.load(words, ANSWERED)
      if (answered === asked) break
      if (this.#isOver()) throw unanswered()
      Atomics.wait(words, ANSWERED, answered, LOOK_MS)
    }
    const length = words[LENGTH] as number
    if (length === REFUSED) throw unanswered()
    if (length === ABSENT) return undefined
    return new Uint8Array(this.#area, ANSWER_AT, length).slice()
  }
}

function unanswered(): LockstepError {
  return new LockstepError('ENGINE_FAULT', 'the block went on without what was run ahead')
}
