import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { CandidateSource, OpenCandidates } from '../../../evm/execute/candidates.ts'
import { PersistentHeap } from './persistent-heap.ts'
import { type Lane, ProposalWalk, type WalkClosing } from './proposal-walk.ts'
import type { PoolEntry, SenderQueue } from './sender-queue.ts'

/** Outdated lanes per sender, plus slack, at which the heaps are rebuilt. */
const STALE = 2
const SLACK = 64

function heapBy(rank: (entry: PoolEntry) => number): PersistentHeap<Lane> {
  return new PersistentHeap<Lane>(({ entry: a }, { entry: b }) =>
    rank(a) === rank(b) ? a.arrival < b.arrival : rank(a) > rank(b),
  )
}

/**
 * Orders senders by the next transaction that a block takes, at any base fee. It is updated as senders change, so
 * that a block costs only what it looks at, however many transactions wait.
 *
 * The effective tip is the lower of the tip cap and the fee cap minus the base fee, so either cap bounds it. A heap
 * by one cap yields senders in the right order or too early; a sender reached too early moves to its exact place. The
 * choice of heap only decides how early a sender is reached.
 */
export class ProposalOrder {
  readonly #lanes = new Map<SenderQueue, Lane>()
  readonly #isByArrival: boolean
  #byTipCap: PersistentHeap<Lane>
  #byFeeCap: PersistentHeap<Lane>
  /** Number of lanes in both heaps, including outdated ones. */
  #held = 0
  /** Base fee of the last walk, at which a sender is put into the heap with its exact order. */
  #baseFee = 0
  /** Number of senders reached too early since the last rebuild. */
  #misplaced = 0
  readonly #open = new Set<ProposalWalk>()

  /** @param isByArrival true for the order of arrival, whatever the tips */
  constructor(isByArrival = false) {
    this.#isByArrival = isByArrival
    this.#byTipCap = this.#emptyByTipCap()
    this.#byFeeCap = heapBy(({ feeCap }) => feeCap)
  }

  /** Records a change of a sender. */
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
   * Returns executable transactions by their tip at `baseFee`, then by arrival. Excludes arrivals from number `end`
   * on.
   */
  candidates(baseFee: number, end: number, held?: ReadonlySet<Transaction>): CandidateSource {
    return this.#walk(baseFee, end, held)
  }

  /**
   * Like `candidates`, plus arrivals until the walk is closed.
   * @param arrivals returns the number of the next arrival
   */
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
    end: number | WalkClosing,
    held: ReadonlySet<Transaction> | undefined,
  ): ProposalWalk {
    this.#baseFee = baseFee
    if (this.#misplaced > this.#lanes.size + SLACK) this.#rebuild()
    this.#byTipCap = this.#trimmed(this.#byTipCap)
    this.#byFeeCap = this.#trimmed(this.#byFeeCap)
    const start = {
      baseFee,
      held,
      isByArrival: this.#isByArrival,
      byTipCap: this.#byTipCap,
      byFeeCap: this.#byFeeCap,
      onMisplaced: () => this.#misplaced++,
    }
    return new ProposalWalk(start, end)
  }

  #emptyByTipCap(): PersistentHeap<Lane> {
    return heapBy(this.#isByArrival ? () => 0 : ({ tipCap }) => tipCap)
  }

  #put(lane: Lane): void {
    const { feeCap, tipCap } = lane.entry
    this.#lanes.set(lane.queue, lane)
    this.#held++
    if (this.#isByArrival || feeCap - tipCap >= this.#baseFee)
      this.#byTipCap = this.#byTipCap.with(lane)
    else this.#byFeeCap = this.#byFeeCap.with(lane)
  }

  /** Rebuilds both heaps. Amortised by the changes that outdated them. */
  #rebuild(): void {
    this.#byTipCap = this.#emptyByTipCap()
    this.#byFeeCap = heapBy(({ feeCap }) => feeCap)
    this.#misplaced = 0
    this.#held = 0
    for (const lane of this.#lanes.values()) this.#put(lane)
  }

  /** Returns the heap without outdated lanes at its top. */
  #trimmed(heap: PersistentHeap<Lane>): PersistentHeap<Lane> {
    let rest = heap
    for (let lane = rest.first; lane?.isCurrent === false; lane = rest.first) {
      rest = rest.withoutFirst()
      this.#held--
    }
    return rest
  }
}
