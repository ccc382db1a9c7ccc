import { expect, test } from 'vitest'
import type { WorkerContext } from '../../../../../host/api/rpc/call/context.ts'
import type { RpcLimits } from '../../../../../host/api/rpc/call/limits.ts'
import { runBatch } from '../../../../../host/api/rpc/protocol/batch.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'

const MESSAGES = Array.from({ length: 6 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'long' }))

/**
 * Runs a batch of calls whose answers have `characters` characters. Returns the executed calls and the codes of the
 * others.
 */
async function run(characters: number, maxHeldBytes: number) {
  const work = new WorkScheduler(maxHeldBytes)
  const signal = new AbortController().signal
  const caller = {
    transport: 'http',
    signal,
    subscriber: undefined,
    account: work.account('192.0.2.1'),
  } as const
  const context = { work, limits: { responseBytes: 1 << 28 } as RpcLimits } as WorkerContext
  let calls = 0
  let most = 0
  const runner = {
    call: () => {
      calls++
      most = Math.max(most, work.load.reservedBytes)
      return JSON.stringify('x'.repeat(characters))
    },
    isSerialInBatch: () => false,
  }
  const text = await runBatch(runner, context, MESSAGES, caller)
  const answers = JSON.parse(text ?? '[]') as (string | { error: { code: number } })[]
  const codes = answers.flatMap((one) => (typeof one === 'string' ? [] : [one.error.code]))
  return { calls, most, codes, held: work.load.reservedBytes }
}

test('no call of a batch is executed if its answer would exceed the limit', async () => {
  const { calls, most, codes, held } = await run(30_000, 150_000)
  expect(calls).toBe(1)
  expect(most).toBe(0)
  expect(codes).toEqual([-32005, -32005, -32005, -32005, -32005])
  expect(held).toBe(0)
})

test('a batch within the limit has all of its answers', async () => {
  const { calls, codes, held } = await run(30_000, 2_000_000)
  expect([calls, codes, held]).toEqual([6, [], 0])
})
