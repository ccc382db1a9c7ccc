import { expect, test } from 'vitest'
import { describeRuns, failureOf, type VitestReport } from '../../../../tools/steady/steady-run.ts'

/** Returns a report of one file with these tests, each passed or failed with a message. */
function reportOf(tests: Readonly<Record<string, string | undefined>>): VitestReport {
  const assertionResults = Object.entries(tests).map(([fullName, message]) => ({
    fullName,
    status: message === undefined ? 'passed' : 'failed',
    failureMessages: message === undefined ? [] : [message],
  }))
  const numPassedTests = assertionResults.filter(({ status }) => status === 'passed').length
  const status = numPassedTests === assertionResults.length ? 'passed' : 'failed'
  return {
    numPassedTests,
    testResults: [{ name: 'test/sum.test.ts', status, message: '', assertionResults }],
  }
}

test('a run in which every test passed has no failure', () => {
  expect(failureOf(reportOf({ adds: undefined }), 0, '')).toBeUndefined()
})

test('the first test that failed is named with the first line of its message', () => {
  const report = reportOf({ adds: undefined, 'divides by 0': 'Error: division\n    at file.ts:1' })
  expect(failureOf(report, 1, '')).toBe('divides by 0: Error: division')
})

test('a file that cannot be loaded fails with its message', () => {
  const testResults = [
    {
      name: 'test/sum.test.ts',
      status: 'failed',
      message: '\nno such module\n',
      assertionResults: [],
    },
  ]
  expect(failureOf({ numPassedTests: 0, testResults }, 1, '')).toBe('no such module')
})

test('an error outside of tests fails the run by the exit code', () => {
  const output = 'RUN\n\nUnhandled Error\nError: late\n'
  expect(failureOf(reportOf({ adds: undefined }), 1, output)).toBe('exit code 1: Unhandled Error')
  expect(failureOf(undefined, 137, '')).toBe('exit code 137: no message')
})

test('a file whose tests are all skipped counts as failed', () => {
  const skipped = [{ fullName: 'adds', status: 'skipped', failureMessages: [] }]
  const testResults = [
    { name: 'test/sum.test.ts', status: 'passed', message: '', assertionResults: skipped },
  ]
  expect(failureOf({ numPassedTests: 0, testResults }, 0, '')).toBe('no test ran: all are skipped')
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
