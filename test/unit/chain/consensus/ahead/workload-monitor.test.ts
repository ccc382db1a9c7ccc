import { expect, test } from 'vitest'
import { WorkloadMonitor } from '../../../../../host/chain/consensus/ahead/workload-monitor.ts'

test('speculative execution runs while one of the last four blocks had 2 ms of heavy transactions', () => {
  const watch = new WorkloadMonitor()
  const worth = [watch.isWorth]
  for (const milliseconds of [1.9, 1.9, 2, 0, 0, 0, 0]) {
    watch.note(milliseconds)
    worth.push(watch.isWorth)
  }
  expect(worth).toEqual([false, false, false, true, true, true, true, false])
})
