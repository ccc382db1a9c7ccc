import { expect, test } from 'vitest'
import { type SlowRequest, SlowRequests } from '../../../../host/node/serve/slow-requests.ts'

test('only requests at or above the threshold are reported, and none at threshold 0', () => {
  const reported: SlowRequest[] = []
  const slow = new SlowRequests(
    100,
    (request) => reported.push(request),
    () => 0,
  )
  slow.note('eth_call', 0, 99.9)
  slow.note('eth_getLogs', -32000, 100.4)
  slow.thresholdMs = 0
  slow.note('eth_getLogs', 0, 1e9)
  expect(reported).toEqual([{ method: 'eth_getLogs', code: -32000, milliseconds: 100, omitted: 0 }])
})

test('a flood of slow requests is reported ten times a second, with the number of the others', () => {
  const reported: SlowRequest[] = []
  let now = 0
  const slow = new SlowRequests(
    1,
    (request) => reported.push(request),
    () => now,
  )
  for (let i = 0; i < 1000; i++) slow.note('eth_call', 0, 5)
  expect(reported).toHaveLength(10)
  now = 1000
  slow.note('eth_call', 0, 5)
  expect(reported).toHaveLength(11)
  expect(reported[10]).toMatchObject({ omitted: 990 })
})
