import { expect, test } from 'vitest'
import { ChunkPool } from '../../../../host/api/trace-pool/chunk-pool.ts'

test('the chunk pool lends a buffer to one user at a time, and again after its return', () => {
  const pool = new ChunkPool(16, 2)
  const [first, second] = [pool.take(), pool.take()]
  expect([first.length, second.length]).toEqual([16, 16])
  expect(first.buffer).not.toBe(second.buffer)
  pool.release(first.subarray(0, 3))
  const again = pool.take()
  expect(again.buffer).toBe(first.buffer)
  expect(again).toHaveLength(16)
  expect(pool.take().buffer).not.toBe(first.buffer)
})

test('the chunk pool keeps no more than its limit of spare buffers', () => {
  const pool = new ChunkPool(16, 2)
  const taken = [pool.take(), pool.take(), pool.take()]
  for (const one of taken) pool.release(one)
  const buffers = [pool.take(), pool.take(), pool.take()].map(({ buffer }) => buffer)
  expect(buffers.filter((buffer) => taken.some((one) => one.buffer === buffer))).toHaveLength(2)
  expect(new Set(buffers).size).toBe(3)
})
