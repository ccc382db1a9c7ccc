import { expect, test } from 'vitest'
import { type JudgedCopy, judge } from '../../../../tools/mutation/verdict.ts'

/** A copy whose test files fail by these rules, with the groups of files that ran in it. */
class FakeCopy implements JudgedCopy {
  readonly folder = '/copy'
  readonly runs: string[][] = []
  readonly #isMutated: boolean
  readonly #fails: (file: string, isMutated: boolean) => boolean
  readonly #buildCode: number
  readonly #hangs: boolean

  constructor(
    fails: (file: string, isMutated: boolean) => boolean,
    { buildCode = 0, hangs = false, isMutated = true } = {},
  ) {
    this.#isMutated = isMutated
    this.#fails = fails
    this.#buildCode = buildCode
    this.#hangs = hangs
  }

  /** Returns the copy without the mutant. */
  get clean(): FakeCopy {
    return new FakeCopy(this.#fails, { isMutated: false })
  }

  async build() {
    return { code: this.#buildCode, output: '', isStopped: false }
  }

  async runTests(files: readonly string[]) {
    this.runs.push([...files])
    const failed = files.find((file) => this.#fails(file, this.#isMutated))
    const ended = { code: failed === undefined ? 0 : 1, output: '', isStopped: this.#hangs }
    if (this.#hangs) return { ended, report: undefined }
    const assertionResults = [
      { status: failed === undefined ? 'passed' : 'failed', fullName: 'adds', failureMessages: [] },
    ]
    const status = failed === undefined ? 'passed' : 'failed'
    const name = `/copy/${failed ?? files[0]}`
    const testResults = [{ name, status, message: '', assertionResults }]
    return { ended, report: { numPassedTests: 1, testResults } }
  }
}

function judgeIn(mutated: FakeCopy, tests: readonly string[]) {
  return judge({ mutated, clean: mutated.clean }, tests, 600)
}

const TESTS = ['a', 'b', 'c', 'd', 'e', 'f']

test('a test that fails only with the mutant catches it, and later tests do not run', async () => {
  const copy = new FakeCopy((file, isMutated) => file === 'b' && isMutated)
  expect(await judgeIn(copy, TESTS)).toEqual({ outcome: 'caught', detail: 'b > adds' })
  expect(copy.runs).toEqual([['a', 'b', 'c', 'd'], ['b']])
})

test('a test that fails with the mutant once and then passes with it catches nothing', async () => {
  let failures = 0
  const copy = new FakeCopy((file, isMutated) => file === 'b' && isMutated && failures++ === 0)
  expect(await judgeIn(copy, TESTS)).toEqual({
    outcome: 'survived',
    detail: 'all 6 related files passed, but b, which fail without it or only sometimes',
  })
})

test('a test that also fails without the mutant catches nothing, and is named', async () => {
  const copy = new FakeCopy((file) => file === 'b')
  expect(await judgeIn(copy, TESTS)).toEqual({
    outcome: 'survived',
    detail: 'all 6 related files passed, but b, which fail without it or only sometimes',
  })
  expect(copy.runs).toEqual([
    ['a', 'b', 'c', 'd'],
    ['a', 'c', 'd'],
    ['e', 'f'],
  ])
})

test('a mutant that no test reaches survives', async () => {
  const copy = new FakeCopy(() => false)
  expect(await judgeIn(copy, [])).toEqual({ outcome: 'survived', detail: 'no test reaches it' })
})

test('a mutant that does not build is invalid, and no test runs', async () => {
  const copy = new FakeCopy(() => false, { buildCode: 1 })
  expect(await judgeIn(copy, TESTS)).toEqual({ outcome: 'invalid', detail: 'does not build' })
  expect(copy.runs).toEqual([])
})

test('a group of files that exceeds its time limit catches nothing', async () => {
  const copy = new FakeCopy(() => false, { hangs: true })
  expect(await judgeIn(copy, TESTS)).toEqual({
    outcome: 'stopped',
    detail: '0 of 6 related files passed when its 600 s were up',
  })
})
