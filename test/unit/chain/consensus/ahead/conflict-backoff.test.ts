import { expect, test } from 'vitest'
import { ConflictBackoff } from '../../../../../host/chain/consensus/ahead/conflict-backoff.ts'

/** Returns the number of blocks until speculative execution is admitted again. */
function waits(watch: ConflictBackoff): number {
  let count = 0
  while (!watch.admit()) count++
  return count
}

test('speculative execution pauses if more than a quarter of the transactions of four blocks ran again', () => {
  const watch = new ConflictBackoff()
  for (const adopted of [10, 5, 8, 7]) watch.record(10, adopted)
  expect(waits(watch)).toBe(0)
  // The first block no longer counts
  watch.record(10, 10)
  expect(waits(watch)).toBe(0)
  watch.record(10, 4)
  expect(waits(watch)).toBe(16)
})

test('speculative execution resumes after a pause of sixteen blocks', () => {
  const watch = new ConflictBackoff()
  watch.record(4, 2)
  expect(waits(watch)).toBe(16)
  watch.record(4, 3)
  expect(waits(watch)).toBe(0)
})

test('blocks without speculative execution do not count as conflicts', () => {
  const watch = new ConflictBackoff()
  for (let i = 0; i < 8; i++) watch.record(0, 0)
  expect(waits(watch)).toBe(0)
})
