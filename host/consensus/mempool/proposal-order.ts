import type { Transaction } from '../../chain-types/transaction.ts'
import type { CandidateSource } from '../../execute/candidates.ts'
import { Heap } from './heap.ts'
import { PersistentHeap } from './persistent-heap.ts'
import { type Entry, type SenderQueue, tipAt } from './sender-queue.ts'

/** A sender at the first of its executable transactions. */
interface Lane {
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

/** The heaps may hold this many outdated lanes for each sender before they are made anew. */
const STALE = 2
const SLACK = 64

function comesFirst(tip: number, arrival: number, other: Turn): boolean {
  return tip === other.tip ? arrival < other.entry.arrival : tip > other.tip
}

const isBefore = (a: Turn, b: Turn) => comesFirst(a.tip, a.entry.arrival, b)

function heapBy(rank: (entry: Entry) => number): PersistentHeap<Lane> {
  return new PersistentHeap<Lane>(({ entry: a }, { entry: b }) =>
    rank(a) === rank(b) ? a.arrival < b.arrival : rank(a) > rank(b),
  )
}

/**
 * Senders in the order in which a block takes their transactions, at any base fee: kept up to date as they change, so
 * that a block costs what it looks at, however many wait.
 *
 * A tip is the tip cap, or what the fee cap leaves above the base fee where that is less. So either cap bounds it, and a
 * heap by one cap gives senders in an order that is right or too early: each is given its exact place once it is
 * reached. In which heap a sender is decides no more than how early.
 */
export class ProposalOrder {
  readonly #lanes = new Map<SenderQueue, Lane>()
  #byTipCap = heapBy(({ tipCap }) => tipCap)
  #byFeeCap = heapBy(({ feeCap }) => feeCap)
  /** Lanes in both heaps, outdated ones too. */
  #held = 0
  /** That of the newest block asked for: a sender is put into the heap that is right at it. */
  #baseFee = 0
  /** Senders that were reached too early since. */
  #misplaced = 0

  /** A sender has changed. */
  note(queue: SenderQueue): void {
    const entry = queue.firstExecutable
    const lane = this.#lanes.get(queue)
    if (lane?.entry === entry) return
    if (lane !== undefined) lane.isCurrent = false
    if (entry === undefined) this.#lanes.delete(queue)
    else this.#put({ queue, entry, isCurrent: true })
    if (this.#held > STALE * this.#lanes.size + SLACK) this.#rebuild()
  }

  /**
   * Executable transactions by their tip at `baseFee`, then by arrival, but for those that arrive from `end` on: what
   * comes while a block is made is not part of it. A sender counts as far as its fee caps cover the base fee. The queues
   * may change meanwhile: a sender that has another first transaction by then is not reached any more, and after one that
   * was taken comes what its queue has then.
   */
  candidates(baseFee: number, end: number): CandidateSource {
    this.#baseFee = baseFee
    if (this.#misplaced > this.#lanes.size + SLACK) this.#rebuild()
    this.#byTipCap = this.#trimmed(this.#byTipCap)
    this.#byFeeCap = this.#trimmed(this.#byFeeCap)
    let byTipCap = this.#byTipCap
    let byFeeCap = this.#byFeeCap
    const reached = new Heap<Turn>(isBefore)

    /** Takes lanes from a heap until none can come before the best that was reached. */
    const reach = (heap: PersistentHeap<Lane>, boundOf: (entry: Entry) => number) => {
      let rest = heap
      for (let lane = rest.first; lane !== undefined; lane = rest.first) {
        const { queue, entry } = lane
        const bound = boundOf(entry)
        if (bound < 0) break
        if (reached.first !== undefined && !comesFirst(bound, entry.arrival, reached.first)) break
        rest = rest.withoutFirst()
        if (!lane.isCurrent) continue
        const tip = tipAt(entry, baseFee)
        if (tip < bound) this.#misplaced++
        if (tip >= 0) reached.push({ queue, entry, tip })
      }
      return rest
    }
    const best = (): Turn | undefined => {
      byTipCap = reach(byTipCap, ({ tipCap }) => tipCap)
      byFeeCap = reach(byFeeCap, ({ feeCap }) => feeCap - baseFee)
      return reached.first
    }

    return {
      peek: () => best()?.entry.transaction,
      take() {
        const turn = best()
        if (turn === undefined) return
        reached.removeFirst()
        const entry = turn.queue.after(turn.entry)
        if (entry === undefined || entry.arrival >= end) return
        const tip = tipAt(entry, baseFee)
        if (tip >= 0) reached.push({ queue: turn.queue, entry, tip })
      },
      skip() {
        if (best() !== undefined) reached.removeFirst()
      },
    }
  }

  #put(lane: Lane): void {
    const { feeCap, tipCap } = lane.entry
    this.#lanes.set(lane.queue, lane)
    this.#held++
    if (feeCap - tipCap >= this.#baseFee) this.#byTipCap = this.#byTipCap.with(lane)
    else this.#byFeeCap = this.#byFeeCap.with(lane)
  }

  /** Costs no more than the changes that have made the heaps what they are. */
  #rebuild(): void {
    this.#byTipCap = heapBy(({ tipCap }) => tipCap)
    this.#byFeeCap = heapBy(({ feeCap }) => feeCap)
    this.#misplaced = 0
    this.#held = 0
    for (const lane of this.#lanes.values()) this.#put(lane)
  }

  /** The heap without what is outdated at its top. */
  #trimmed(heap: PersistentHeap<Lane>): PersistentHeap<Lane> {
    let rest = heap
    for (let lane = rest.first; lane?.isCurrent === false; lane = rest.first) {
      rest = rest.withoutFirst()
      this.#held--
    }
    return rest
  }
}

/** The same candidates but for those held, and what their senders have after them. */
export function withoutHeld(
  source: CandidateSource,
  held: ReadonlySet<Transaction>,
): CandidateSource {
  return {
    peek() {
      let best = source.peek()
      while (best !== undefined && held.has(best)) {
        source.skip()
        best = source.peek()
      }
      return best
    },
    take: () => source.take(),
    skip: () => source.skip(),
  }
}
