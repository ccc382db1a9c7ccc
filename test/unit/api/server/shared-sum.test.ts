import { expect, test } from 'vitest'
import { SharedSum } from '../../../../host/api/server/shared-sum.ts'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'

test('the shares of all threads are summed, those of others in whole units', () => {
  const all = SharedSum.make(16)
  const part = all.allocatePart()
  const other = new SharedSum(part)
  all.add(5)
  other.add(17)
  expect([all.own, all.total]).toEqual([5, 5 + 32])
  expect([other.own, other.total]).toEqual([17, 17 + 16])
  other.add(-17)
  expect([all.total, other.total]).toEqual([5, 16])
})

test('the share of an ended thread is removed, and its slot is reused', () => {
  const all = SharedSum.make(1)
  const parts = Array.from({ length: 64 }, () => all.allocatePart())
  expect(() => all.allocatePart()).toThrow(RangeError)
  for (const part of parts) new SharedSum(part).add(3)
  expect(all.total).toBe(192)
  const [first, ...others] = parts
  if (first === undefined) throw new Error('no part')
  all.freePart(first)
  expect(all.total).toBe(189)
  expect(all.allocatePart()).toEqual(first)
  for (const part of others) all.freePart(part)
  expect(all.total).toBe(0)
})

test('the reservation of one thread reduces the room of the others', () => {
  const chain = new WorkScheduler(100_000)
  const thread = new WorkScheduler(100_000, undefined, {
    held: chain.held.allocatePart(),
    reserved: chain.reserved.allocatePart(),
  })
  const here = chain.account('192.0.2.1')
  const there = thread.account('192.0.2.2')
  expect(there.admits(90_000)).toBe(true)
  here.reserve(60_000)
  expect(there.admits(50_000)).toBe(false)
  expect(there.admits(40_000)).toBe(true)
  there.reserve(40_000)
  expect(here.admits(0)).toBe(false)
  expect(chain.load.reservedBytes).toBe(100_000)
})
