import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { CandidateSender, OpenCandidates } from '../../../evm/execute/candidates.ts'
import { Heap } from './heap.ts'
import type { PersistentHeap } from './persistent-heap.ts'
import { type PoolEntry, type SenderQueue, tipAtBaseFee } from './sender-queue.ts'

/** A sender with its first executable transaction. */
export interface Lane {
  readonly queue: SenderQueue
  readonly entry: PoolEntry
  /** False if the sender's first executable transaction has changed. */
  isCurrent: boolean
}

/** A sender's next transaction for the block. */
interface Turn {
  readonly queue: SenderQueue
  readonly entry: PoolEntry
  readonly tip: number
}

/** The last transaction of a sender that an open walk has reached, and whether it was taken. */
interface Place {
  entry: PoolEntry
  state: 'reached' | 'taken' | 'skipped'
}

/** Initial state of a walk. */
export interface WalkStart {
  /** Base fee of the block in wei. */
  readonly baseFee: number
  /** Transactions excluded with all later ones of their senders. The set may change during the walk. */
  readonly held: ReadonlySet<Transaction> | undefined
  /** True for the order of arrival, whatever the tips. */
  readonly isByArrival: boolean
  readonly byTipCap: PersistentHeap<Lane>
  readonly byFeeCap: PersistentHeap<Lane>
  /** Called for each sender that a heap yielded too early. */
  readonly onMisplaced: () => void
}

/** Called when an open walk closes. Returns the number of the first arrival that is not part of it. */
export type WalkClosing = (walk: ProposalWalk) => number

function comesFirst(tip: number, arrival: number, other: Turn): boolean {
  return tip === other.tip ? arrival < other.entry.arrival : tip > other.tip
}

const NO_TIP = () => 0

const isBefore = (a: Turn, b: Turn) => comesFirst(a.tip, a.entry.arrival, b)

/**
 * The candidates of one block, by their tips at its base fee and then by arrival, or by arrival alone. A sender's transactions are
 * candidates as far as their fee caps cover the base fee. The queues may change during the walk. A sender is skipped
 * if its first transaction has changed before it was reached, or if its reached transaction has left the pool. After
 * a taken transaction the walk continues with the queue as it is then.
 *
 * An open walk includes arrivals: senders not yet reached, transactions after a sender's last taken one, and
 * replacements of reached ones not yet taken. A skipped sender stays excluded.
 */
export class ProposalWalk implements OpenCandidates {
  readonly #start: WalkStart
  readonly #reached = new Heap<Turn>(isBefore)
  #byTipCap: PersistentHeap<Lane>
  #byFeeCap: PersistentHeap<Lane>
  /** Number of the first arrival that is not part of the walk. */
  #end: number
  /** Senders reached by an open walk. */
  readonly #places = new Map<SenderQueue, Place>()
  readonly #dropped = new Set<CandidateSender>()
  readonly #closing: WalkClosing | undefined
  #wake: (() => void) | undefined

  /** @param end number of the first arrival that is not part of the walk, or a function that makes it an open one */
  constructor(start: WalkStart, end: number | WalkClosing) {
    this.#start = start
    this.#byTipCap = start.byTipCap
    this.#byFeeCap = start.byFeeCap
    this.#end = typeof end === 'number' ? end : Infinity
    this.#closing = typeof end === 'number' ? undefined : end
  }

  peek(): Transaction | undefined {
    return this.#best()?.entry.transaction
  }

  take(): CandidateSender {
    const turn = this.#best()
    if (turn === undefined) throw new RangeError('there is no candidate to take')
    this.#reached.removeFirst()
    const { queue, entry } = turn
    if (!this.#goOn(queue, entry)) this.#mark(queue, 'taken')
    return queue
  }

  drop(sender: CandidateSender): void {
    this.#dropped.add(sender)
  }

  skip(): void {
    const turn = this.#best()
    if (turn === undefined) return
    this.#reached.removeFirst()
    this.#mark(turn.queue, 'skipped')
  }

  arrival(): Promise<void> {
    // A candidate may have arrived since the caller last looked.
    if (this.#best() !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  close(): void {
    if (this.#closing !== undefined) this.#end = this.#closing(this)
  }

  /**
   * Records a change of a sender. Must be called on open walks for every change.
   * @param first the sender's first executable transaction, if it has changed
   */
  note(queue: SenderQueue, first: PoolEntry | undefined): void {
    if (this.#dropped.has(queue)) return
    const place = this.#places.get(queue)
    const isNext =
      place === undefined
        ? first !== undefined && this.#push(queue, first) >= 0
        : this.#isNext(queue, place)
    if (isNext) this.#wake?.()
  }

  /** Continues with a changed sender. Returns false if that adds no candidate. */
  #isNext(queue: SenderQueue, { entry, state }: Place): boolean {
    if (state === 'taken') return this.#goOn(queue, entry)
    if (state === 'skipped' || !entry.isGone) return false
    const other = queue.find(entry.transaction.nonce)
    return other !== undefined && this.#push(queue, other) >= 0
  }

  /** Continues after a taken entry. Returns false if the sender has no further candidate. */
  #goOn(queue: SenderQueue, taken: PoolEntry): boolean {
    const entry = queue.after(taken)
    return entry !== undefined && entry.arrival < this.#end && this.#push(queue, entry) >= 0
  }

  /** Adds a transaction if its tip is not negative, and returns the tip. */
  #push(queue: SenderQueue, entry: PoolEntry): number {
    const tip = tipAtBaseFee(entry, this.#start.baseFee)
    if (tip < 0) return tip
    this.#reached.push({ queue, entry, tip: this.#start.isByArrival ? 0 : tip })
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
    const { baseFee, held, isByArrival } = this.#start
    for (;;) {
      this.#byTipCap = this.#reachIn(this.#byTipCap, isByArrival ? NO_TIP : ({ tipCap }) => tipCap)
      if (!isByArrival) {
        this.#byFeeCap = this.#reachIn(this.#byFeeCap, ({ feeCap }) => feeCap - baseFee)
      }
      const { first } = this.#reached
      if (first === undefined) return undefined
      const { entry, queue } = first
      const isOut = entry.isGone || this.#dropped.has(queue)
      if (!isOut && !held?.has(entry.transaction)) return first
      this.#reached.removeFirst()
    }
  }

  /** Takes lanes from a heap until none can precede the best one reached. */
  #reachIn(
    heap: PersistentHeap<Lane>,
    boundOf: (entry: PoolEntry) => number,
  ): PersistentHeap<Lane> {
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
