import type { Transaction } from '../../chain-types/transaction.ts'
import type { CandidateSource } from '../../execute/candidates.ts'
import { Heap } from './heap.ts'
import { type Entry, type SenderQueue, tipAt } from './sender-queue.ts'

/** A sender, with the next of its transactions. */
interface Lane {
  readonly queue: SenderQueue
  entry: Entry
  tip: number
}

/**
 * Orders executable transactions by their tip at `baseFee`, then by arrival. A sender counts as far as its
 * fee caps cover the base fee. The queues may change meanwhile: a transaction that has left one is not
 * offered any more, except for each sender's first.
 */
export function orderCandidates(senders: Iterable<SenderQueue>, baseFee: number): CandidateSource {
  const lanes: Lane[] = []
  for (const queue of senders) {
    const entry = queue.firstExecutable
    if (entry === undefined) continue
    const tip = tipAt(entry, baseFee)
    if (tip >= 0) lanes.push({ queue, entry, tip })
  }
  const heap = new Heap<Lane>(
    (a, b) => (a.tip === b.tip ? a.entry.arrival < b.entry.arrival : a.tip > b.tip),
    lanes,
  )

  return {
    peek: () => heap.first?.entry.transaction,
    take() {
      const lane = heap.first
      if (lane === undefined) return
      const next = lane.queue.after(lane.entry)
      const tip = next === undefined ? -1 : tipAt(next, baseFee)
      if (next === undefined || tip < 0) return heap.removeFirst()
      lane.entry = next
      lane.tip = tip
      heap.settleFirst()
    },
    skip: () => heap.removeFirst(),
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
