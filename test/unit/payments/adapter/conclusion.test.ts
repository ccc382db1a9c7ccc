import { expect, test } from 'vitest'
import { Conclusion, isServed } from '../../../../host/payments/adapter/conclusion.ts'
import type { Admission } from '../../../../host/payments/gate/payment-gate.ts'

test('a response serves the payer unless its status tells of an error', () => {
  const statuses = [200, 204, 302, 304, 399, 400, 402, 404, 500, 503]
  expect(statuses.filter(isServed)).toEqual([200, 204, 302, 304, 399])
})

test.each([
  ['delivered', (conclusion: Conclusion) => conclusion.is(true)],
  ['failed', (conclusion: Conclusion) => conclusion.is(false)],
  ['released', (conclusion: Conclusion) => conclusion.release()],
] as const)('the first report counts: %s', (first, report) => {
  const reports: string[] = []
  const note = (name: string) => async () => {
    reports.push(name)
  }
  const admission = {
    delivered: note('delivered'),
    failed: note('failed'),
    released: note('released'),
  }
  const conclusion = new Conclusion(admission as unknown as Admission, () => {})
  report(conclusion)
  conclusion.is(true)
  conclusion.is(false)
  conclusion.release()
  expect(reports).toEqual([first])
})

test('an outcome that cannot be written is reported', async () => {
  const failures: unknown[] = []
  const full = new Error('the disk is full')
  const admission = { delivered: () => Promise.reject(full) }
  new Conclusion(admission as unknown as Admission, (error) => failures.push(error)).is(true)
  await Promise.resolve()
  await Promise.resolve()
  expect(failures).toEqual([full])
})
