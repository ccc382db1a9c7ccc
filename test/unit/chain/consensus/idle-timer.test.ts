import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { IdleTimer } from '../../../../host/chain/consensus/idle-timer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function counted(blocks = 4) {
  let lulls = 0
  const lull = new IdleTimer({ quietMs: 100, blocks }, () => lulls++)
  return { lull, lulls: () => lulls }
}

test('the idle callback runs once, when no block came for the idle time', () => {
  const { lull, lulls } = counted()
  lull.noteBlock()
  vi.advanceTimersByTime(99)
  lull.noteBlock()
  vi.advanceTimersByTime(99)
  expect(lulls()).toBe(0)
  vi.advanceTimersByTime(1)
  expect(lulls()).toBe(1)
  vi.advanceTimersByTime(1000)
  expect(lulls()).toBe(1)
})

test('the idle callback runs at once after the maximum number of blocks, and the count restarts', () => {
  const { lull, lulls } = counted()
  for (let block = 1; block <= 11; block++) {
    lull.noteBlock()
    expect(lulls()).toBe(Math.floor(block / 4))
    vi.advanceTimersByTime(1)
  }
  vi.advanceTimersByTime(100)
  expect(lulls()).toBe(3)
})

test('the idle callback does not run for blocks before a reset', () => {
  const { lull, lulls } = counted(2)
  lull.noteBlock()
  lull.cancel()
  vi.advanceTimersByTime(1000)
  lull.noteBlock()
  expect(lulls()).toBe(0)
  lull.noteBlock()
  expect(lulls()).toBe(1)
})
