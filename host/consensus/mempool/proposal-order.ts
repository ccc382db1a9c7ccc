import { effectiveTip } from '../../chain-types/fee.ts'
import type { CandidateSource } from '../../execute/pack.ts'
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
  const heap: Lane[] = []

  const entryOf = (lane: Lane) => lane.entries[lane.at] as Entry
  const before = (a: Lane, b: Lane) =>
    a.tip === b.tip ? entryOf(a).arrival < entryOf(b).arrival : a.tip > b.tip
  const settle = (start: number) => {
    const lane = heap[start] as Lane
    let hole = start
    for (;;) {
      let child = 2 * hole + 1
      if (child >= heap.length) break
      const right = heap[child + 1]
      if (right !== undefined && before(right, heap[child] as Lane)) child++
      if (!before(heap[child] as Lane, lane)) break
      heap[hole] = heap[child] as Lane
      hole = child
    }
    heap[hole] = lane
  }
  const removeBest = () => {
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    heap[0] = last
    settle(0)
  }

  for (const entries of senders) {
    const first = entries[0]
    if (first === undefined) continue
    const tip = effectiveTip(first.transaction, baseFee)
    if (tip >= 0n) heap.push({ entries, at: 0, tip })
  }
  for (let i = (heap.length >> 1) - 1; i >= 0; i--) settle(i)

  return {
    peek: () => (heap[0] === undefined ? undefined : entryOf(heap[0]).transaction),
    take() {
      const lane = heap[0]
      if (lane === undefined) return
      const next = lane.entries[lane.at + 1]
      const tip = next === undefined ? -1n : effectiveTip(next.transaction, baseFee)
      if (tip < 0n) return removeBest()
      lane.at++
      lane.tip = tip
      settle(0)
    },
    skip: removeBest,
  }
}
