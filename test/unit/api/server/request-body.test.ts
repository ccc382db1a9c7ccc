import { expect, test } from 'vitest'
import { RequestBody } from '../../../../host/api/server/request-body.ts'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('a released body holds nothing, and starts again with the next piece', () => {
  const work = new WorkScheduler(1 << 28)
  const body = new RequestBody(1 << 20, () => work.account('127.0.0.1'))
  expect(body.push(bytes('x'.repeat(10_000)))).toBe(undefined)
  expect(work.load.reservedBytes).toBe(10_000)
  body.release()
  expect([work.load.reservedBytes, body.bytes.length]).toEqual([0, 0])
  expect(body.push(bytes('abc'))).toBe(undefined)
  expect(new TextDecoder().decode(body.bytes)).toBe('abc')
})
