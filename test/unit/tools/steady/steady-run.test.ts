import { expect, test } from 'vitest'
import { describeRuns, failureOf, type RanFile } from '../../../../tools/steady/steady-run.ts'

/** Returns a file that ran with these tests, each passed, skipped or failed with a message. */
function fileOf(
  tests: Readonly<Record<string, 'passed' | 'skipped' | Error>>,
  changes: Partial<RanFile> = {},
): RanFile {
  const ran = Object.entries(tests).map(([fullName, outcome]) => ({
    fullName,
    result: () =>
      outcome instanceof Error
        ? { state: 'failed', errors: [{ message: outcome.message }] }
        : { state: outcome },
  }))
  const hasFailed = ran.some((one) => one.result().state === 'failed')
  return {
    state: () => (hasFailed ? 'failed' : 'passed'),
    errors: () => [],
    children: { allTests: () => ran },
    ...changes,
  }
}

test('a run in which every test passed has no failure', () => {
  expect(failureOf(fileOf({ adds: 'passed', 'divides by 0': 'skipped' }))).toBeUndefined()
})

test('the first test that failed is named with the first line of its message', () => {
  const file = fileOf({ adds: 'passed', 'divides by 0': new Error('\ndivision\n  at file.ts:1') })
  expect(failureOf(file)).toBe('divides by 0: division')
})

test('a file that cannot be loaded fails with its message', () => {
  const errors = () => [{ message: '\nno such module\n' }]
  expect(failureOf(fileOf({}, { state: () => 'failed', errors }))).toBe('no such module')
})

test('a file whose process ended has failed, though none of its tests has', () => {
  const file = fileOf({ adds: 'passed' }, { state: () => 'pending' })
  expect(failureOf(file)).toBe('did not pass: pending')
})

test('a file whose tests are all skipped counts as failed', () => {
  const file = fileOf({ adds: 'skipped' }, { state: () => 'skipped' })
  expect(failureOf(file)).toBe('no test ran: all are skipped')
})

test('the summary counts the failures and names the seed and the error of each', () => {
  const runs = [
    { seed: 7, failure: undefined },
    { seed: 8, failure: 'adds: Error: 3' },
  ]
  expect(describeRuns('test/sum.test.ts', runs)).toBe(
    'test/sum.test.ts: 1 of 2 runs failed\n  LOCKSTEP_SEED=8: adds: Error: 3',
  )
})
