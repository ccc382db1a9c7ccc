import { effectiveTip } from '../../chain-types/fee.ts'
import type { CandidateSource } from '../../execute/pack.ts'
import { Heap } from './heap.ts'
import type { Entry } from './sender-queue.ts'

interface Lane {
  readonly entries: readonly Entry[]
  at: number
  tip: bigint
}

/**
 * Orders executable transactions by their tip at `baseFee`, then by arrival. `senders` holds each
 * sender's executable entries in nonce order; a sender counts as far as its fee caps cover the base fee.
 */
export function orderCandidates(
  senders: Iterable<readonly Entry[]>,
  baseFee: bigint,
): CandidateSource {
  const lanes: Lane[] = []
  for (const entries of senders) {
    const first = entries[0]
    if (first === undefined) continue
    const tip = effectiveTip(first.transaction, baseFee)
    if (tip >= 0n) lanes.push({ entries, at: 0, tip })
  }
  const entryOf = (lane: Lane) => lane.entries[lane.at] as Entry
  const heap = new Heap<Lane>(
    (a, b) => (a.tip === b.tip ? entryOf(a).arrival < entryOf(b).arrival : a.tip > b.tip),
    lanes,
  )

  return {
    peek: () => (heap.first === undefined ? undefined : entryOf(heap.first).transaction),
    take() {
      const lane = heap.first
      if (lane === undefined) return
      const next = lane.entries[lane.at + 1]
      const tip = next === undefined ? -1n : effectiveTip(next.transaction, baseFee)
      if (tip < 0n) return heap.removeFirst()
      lane.at++
      lane.tip = tip
      heap.settleFirst()
    },
    skip: () => heap.removeFirst(),
  }
}
