import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TraceQueue } from '../../../../host/api/trace-pool/trace-queue.ts'
import type { TraceRun } from '../../../../host/api/trace-pool/trace-run.ts'

const run = (client: object): TraceRun => ({ request: { client }, preemptions: 0 }) as TraceRun

test('a client with few traces does not wait for all those of a client with many', () => {
  const [hog, other, third] = [{}, {}, {}]
  const queue = new TraceQueue()
  const hogs = Array.from({ length: 64 }, () => run(hog))
  for (const one of hogs) queue.add(one)
  const late = [run(other), run(third), run(other)]
  for (const one of late) queue.add(one)
  const order = Array.from({ length: 7 }, () => queue.take())
  expect(order).toEqual([hogs[0], late[0], late[1], hogs[1], late[2], hogs[2], hogs[3]])
  expect(queue.size).toBe(60)
})

test('the latest new client can be selected once', () => {
  const [hog, other, third] = [{}, {}, {}]
  const queue = new TraceQueue()
  const all = [run(hog), run(hog), run(other), run(third), run(third)]
  for (const one of all) queue.add(one)
  const anyone = () => true
  expect(queue.takeNewest(anyone)).toBe(all[3])
  // A trace of the third client has run, so that it is behind the other two.
  expect(queue.takeNewest((client) => client !== other)).toBe(all[0])
  expect(queue.takeNewest(anyone)).toBe(all[2])
  expect(queue.takeNewest(anyone)).toBeUndefined()
  expect([queue.take(), queue.take(), queue.size]).toEqual([all[4], all[1], 0])
})

test('a client whose trace has run does not count as new', () => {
  const queue = new TraceQueue()
  const again = { ...run({}), preemptions: 1 } as TraceRun
  queue.add(again)
  expect(queue.takeNewest(() => true)).toBeUndefined()
  expect(queue.take()).toBe(again)
})

test('a client that cannot run now keeps its position', () => {
  const [hog, other] = [{}, {}]
  const queue = new TraceQueue()
  const [first, second] = [run(hog), run(other)]
  queue.add(first)
  queue.add(second)
  expect(queue.take((client) => client !== hog)).toBe(second)
  expect(queue.take((client) => client !== hog)).toBeUndefined()
  expect(queue.take()).toBe(first)
})

test('no client waits for more than one trace of each other client', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 60 }), (asking) => {
      const clients = Array.from({ length: 6 }, (_, name) => ({ name }))
      const queue = new TraceQueue()
      for (const name of asking) queue.add(run(clients[name] as object))
      const order: number[] = []
      for (let next = queue.take(); next !== undefined; next = queue.take()) {
        order.push((next.request.client as { name: number }).name)
      }
      expect(order.toSorted()).toEqual(asking.toSorted())
      for (const [at, name] of order.entries()) {
        const before = order.slice(0, at)
        const since = before.slice(before.lastIndexOf(name) + 1)
        expect(new Set(since).size).toBe(since.length)
      }
      expect(queue.size).toBe(0)
    }),
  )
})
