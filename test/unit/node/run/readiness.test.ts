import { expect, test } from 'vitest'
import { readinessOf } from '../../../../host/node/run/readiness.ts'

const at = (height: number, maxPeerHeight: number, isCatchingUp: boolean) =>
  readinessOf({ height, sync: { maxPeerHeight, isCatchingUp, startingHeight: 1 } }, 300)

test('a node that follows no other is ready', () => {
  expect(at(7, 0, false)).toEqual({ ready: true, height: 7, maxPeerHeight: 0 })
})

test('a node that lags is ready up to the limit of /lag_status', () => {
  expect(at(700, 1000, false)).toMatchObject({ ready: true })
  expect(at(699, 1000, false)).toEqual({
    ready: false,
    height: 699,
    maxPeerHeight: 1000,
    lag: 301,
    waitingFor: 'blocks of its peers: height 699 of 1000, which is more than 300 behind',
  })
})

test('a node that catches up is not ready, however small its lag is', () => {
  expect(at(999, 1000, true)).toEqual({
    ready: false,
    height: 999,
    maxPeerHeight: 1000,
    lag: 1,
    waitingFor: 'blocks that others have long had: height 999 of 1000',
  })
})
