import { expect, test } from 'vitest'
import { MessageBudget } from '../../../../host/api/server/message-budget.ts'
import { SharedSum } from '../../../../host/api/server/shared-sum.ts'

/** Returns the limits that successive connections get. */
function give(room: MessageBudget, connections: number): number[] {
  return Array.from({ length: connections }, () => {
    const limit = room.limits.find((one) => room.reserve(one))
    return limit ?? 0
  })
}

const BODY = 5 << 20

test('early connections may send messages as long as bodies, and later ones shorter messages', () => {
  const reserved = SharedSum.make(16)
  const bound = 128 << 20
  const room = new MessageBudget(BODY, reserved, bound)
  const limits = give(room, 100)
  expect(limits[0]).toBeGreaterThan(BODY)
  expect([...limits].sort((a, b) => b - a)).toEqual(limits)
  expect(limits.at(-1)).toBe(128 * 1024)
  expect(limits.filter((limit) => limit > 128 * 1024).length).toBeGreaterThan(25)
  const last = limits.filter((limit) => limit === 128 * 1024).length
  expect(reserved.total).toBeLessThanOrEqual(bound + last * 256 * 1024)
  for (const limit of limits) room.release(limit)
  expect(reserved.total).toBe(0)
})

test('threads share one budget for messages', () => {
  const reserved = SharedSum.make(16)
  const rooms = [reserved, new SharedSum(reserved.allocatePart())].map(
    (sum) => new MessageBudget(BODY, sum, 40 << 20),
  )
  const limits = rooms.map((room) => room.limits.find((limit) => room.reserve(limit)))
  expect(limits).toEqual([BODY + 64 * 1024, 1 << 20])
})
