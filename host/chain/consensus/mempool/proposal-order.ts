import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { CandidateSource, OpenCandidates } from '../../../evm/execute/candidates.ts'
import { PersistentHeap } from './persistent-heap.ts'
import { type Closing, type Lane, ProposalWalk } from './proposal-walk.ts'
import type { Entry, SenderQueue } from './sender-queue.ts'

/** The heaps may hold this many outdated lanes for each sender before they are made anew. */
const STALE = 2
const SLACK = 64

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
  readonly #open = new Set<ProposalWalk>()

  /** A sender has changed. */
  note(queue: SenderQueue): void {
    const entry = queue.firstExecutable
    const lane = this.#lanes.get(queue)
    const isSame = lane?.entry === entry
    for (const walk of this.#open) walk.note(queue, isSame ? undefined : entry)
    if (isSame) return
    if (lane !== undefined) lane.isCurrent = false
    if (entry === undefined) this.#lanes.delete(queue)
    else this.#put({ queue, entry, isCurrent: true })
    if (this.#held > STALE * this.#lanes.size + SLACK) this.#rebuild()
  }

  /**
   * Executable transactions by their tip at `baseFee`, then by arrival, but for those that arrive from `end` on: what
   * comes while a block is made is not part of it.
   */
  candidates(baseFee: number, end: number, held?: ReadonlySet<Transaction>): CandidateSource {
    return this.#walk(baseFee, end, held)
  }

  /** The same with what arrives until the walk is closed, of which `arrivals` then gives the number. */
  openCandidates(
    baseFee: number,
    arrivals: () => number,
    held?: ReadonlySet<Transaction>,
  ): OpenCandidates {
    const closing = (walk: ProposalWalk) => {
      this.#open.delete(walk)
      return arrivals()
    }
    const walk = this.#walk(baseFee, closing, held)
    this.#open.add(walk)
    return walk
  }

  #walk(
    baseFee: number,
    end: number | Closing,
    held: ReadonlySet<Transaction> | undefined,
  ): ProposalWalk {
    this.#baseFee = baseFee
    if (this.#misplaced > this.#lanes.size + SLACK) this.#rebuild()
    this.#byTipCap = this.#trimmed(this.#byTipCap)
    this.#byFeeCap = this.#trimmed(this.#byFeeCap)
    const start = {
      baseFee,
      held,
      byTipCap: this.#byTipCap,
      byFeeCap: this.#byFeeCap,
      onMisplaced: () => this.#misplaced++,
    }
    return new ProposalWalk(start, end)
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
