import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { OpenCandidates } from '../../../evm/execute/candidates.ts'
import { Heap } from './heap.ts'
import type { PersistentHeap } from './persistent-heap.ts'
import { type Entry, type SenderQueue, tipAt } from './sender-queue.ts'

/** A sender at the first of its executable transactions. */
export interface Lane {
  readonly queue: SenderQueue
  readonly entry: Entry
  /** False once the sender has another first one, or none. */
  isCurrent: boolean
}

/** A sender in a block that is being filled, with the next of its transactions. */
interface Turn {
  readonly queue: SenderQueue
  readonly entry: Entry
  readonly tip: number
}

/** Where an open walk is with a sender: what it has reached of it last, and whether that waits to be taken. */
interface Place {
  entry: Entry
  state: 'reached' | 'taken' | 'skipped'
}

/** What a walk begins with. */
export interface WalkStart {
  /** That of the block, in wei. */
  readonly baseFee: number
  /** Offered by no walk, with what their senders have after them; the set may change meanwhile. */
  readonly held: ReadonlySet<Transaction> | undefined
  readonly byTipCap: PersistentHeap<Lane>
  readonly byFeeCap: PersistentHeap<Lane>
  /** Called for each sender that a heap gave too early. */
  readonly onMisplaced: () => void
}

/** What an open walk is told when it is closed: the number of the first arrival that is not part of it. */
export type Closing = (walk: ProposalWalk) => number

function comesFirst(tip: number, arrival: number, other: Turn): boolean {
  return tip === other.tip ? arrival < other.entry.arrival : tip > other.tip
}

const isBefore = (a: Turn, b: Turn) => comesFirst(a.tip, a.entry.arrival, b)

/**
 * The candidates of one block, by their tips at its base fee and then by arrival. A sender counts as far as its fee caps
 * cover the base fee. The queues may change meanwhile: a sender that has another first transaction by then is not
 * reached any more, nor one that had been reached and whose transaction has left the pool; after one that was taken
 * comes what its queue has then.
 *
 * While it is open, what arrives is part of it: a sender that it has not reached, what comes after the last that it took
 * of one, and what takes the place of one that it has not taken yet. A sender that was skipped is out of it for good.
 */
export class ProposalWalk implements OpenCandidates {
  readonly #start: WalkStart
  readonly #reached = new Heap<Turn>(isBefore)
  #byTipCap: PersistentHeap<Lane>
  #byFeeCap: PersistentHeap<Lane>
  /** Number of the first arrival that is not part of it. */
  #end: number
  /** Of an open walk: the senders that it has reached. */
  readonly #places = new Map<SenderQueue, Place>()
  readonly #closing: Closing | undefined
  #wake: (() => void) | undefined

  /** @param end number of the first arrival that is not part of it; open, where it is asked for that later */
  constructor(start: WalkStart, end: number | Closing) {
    this.#start = start
    this.#byTipCap = start.byTipCap
    this.#byFeeCap = start.byFeeCap
    this.#end = typeof end === 'number' ? end : Infinity
    this.#closing = typeof end === 'number' ? undefined : end
  }

  peek(): Transaction | undefined {
    return this.#best()?.entry.transaction
  }

  take(): void {
    const turn = this.#best()
    if (turn === undefined) return
    this.#reached.removeFirst()
    const { queue, entry } = turn
    if (!this.#goOn(queue, entry)) this.#mark(queue, 'taken')
  }

  skip(): void {
    const turn = this.#best()
    if (turn === undefined) return
    this.#reached.removeFirst()
    this.#mark(turn.queue, 'skipped')
  }

  arrival(): Promise<void> {
    // One may have come since the caller looked.
    if (this.#best() !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  close(): void {
    if (this.#closing !== undefined) this.#end = this.#closing(this)
  }

  /** A sender has changed; an open walk hears of each. @param first its first executable transaction, where that is another */
  note(queue: SenderQueue, first: Entry | undefined): void {
    const place = this.#places.get(queue)
    const isNext =
      place === undefined
        ? first !== undefined && this.#push(queue, first) >= 0
        : this.#isNext(queue, place)
    if (isNext) this.#wake?.()
  }

  /** Goes on with a sender that has changed; false where that brings no candidate. */
  #isNext(queue: SenderQueue, { entry, state }: Place): boolean {
    if (state === 'taken') return this.#goOn(queue, entry)
    if (state === 'skipped' || !entry.isGone) return false
    const other = queue.find(entry.transaction.nonce)
    return other !== undefined && this.#push(queue, other) >= 0
  }

  /** Goes on to what a sender has after an entry that was taken; false where there is nothing that pays. */
  #goOn(queue: SenderQueue, taken: Entry): boolean {
    const entry = queue.after(taken)
    return entry !== undefined && entry.arrival < this.#end && this.#push(queue, entry) >= 0
  }

  /** Returns the tip: a transaction is a candidate where it is not below zero. */
  #push(queue: SenderQueue, entry: Entry): number {
    const tip = tipAt(entry, this.#start.baseFee)
    if (tip < 0) return tip
    this.#reached.push({ queue, entry, tip })
    if (this.#closing === undefined) return tip
    const place = this.#places.get(queue)
    if (place === undefined) {
      this.#places.set(queue, { entry, state: 'reached' })
    } else {
      place.entry = entry
      place.state = 'reached'
    }
    return tip
  }

  #mark(queue: SenderQueue, state: Place['state']): void {
    const place = this.#places.get(queue)
    if (place !== undefined) place.state = state
  }

  #best(): Turn | undefined {
    const { baseFee, held } = this.#start
    for (;;) {
      this.#byTipCap = this.#reachIn(this.#byTipCap, ({ tipCap }) => tipCap)
      this.#byFeeCap = this.#reachIn(this.#byFeeCap, ({ feeCap }) => feeCap - baseFee)
      const { first } = this.#reached
      if (first === undefined) return undefined
      const { entry } = first
      if (!entry.isGone && !held?.has(entry.transaction)) return first
      this.#reached.removeFirst()
    }
  }

  /** Takes lanes from a heap until none can come before the best that was reached. */
  #reachIn(heap: PersistentHeap<Lane>, boundOf: (entry: Entry) => number): PersistentHeap<Lane> {
    let rest = heap
    for (let lane = rest.first; lane !== undefined; lane = rest.first) {
      const { queue, entry, isCurrent } = lane
      const bound = boundOf(entry)
      if (bound < 0) break
      const { first } = this.#reached
      if (first !== undefined && !comesFirst(bound, entry.arrival, first)) break
      rest = rest.withoutFirst()
      if (isCurrent && this.#push(queue, entry) < bound) this.#start.onMisplaced()
    }
    return rest
  }
}
