import { relative } from 'node:path'
import type { CheckoutCopy } from './checkout-copy.ts'

/** The members of a copy that a verdict uses. */
export type JudgedCopy = Pick<CheckoutCopy, 'folder' | 'build' | 'runTests'>

/** A copy with the mutant in it, and one without. */
export interface JudgedCopies {
  readonly mutated: JudgedCopy
  readonly clean: JudgedCopy
}

/**
 * Verdict on a mutant. `stopped`: its time was up before all related tests had run; the mutant may make them hang.
 * `invalid`: it does not build, and another is drawn instead.
 */
export type Outcome = 'caught' | 'survived' | 'stopped' | 'invalid'

export interface Verdict {
  readonly outcome: Outcome
  /** The test that caught it, or how far the search got. */
  readonly detail: string
}

/** Sizes of the groups in which related files run, nearest first: the first group catches most mutants. */
const GROUPS = [4, 12, 40]
const BUILD_SECONDS = 600

function groupsOf(tests: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let at = 0; at < tests.length; ) {
    const size = GROUPS[Math.min(groups.length, GROUPS.length - 1)] ?? 1
    groups.push(tests.slice(at, at + size))
    at += size
  }
  return groups
}

interface Failure {
  readonly file: string
  readonly test: string
}

/**
 * Runs the tests related to a mutant until one fails that passes without it, and fails with it once more.
 * @param tests the most related first
 * @param seconds for the tests of one mutant
 */
export async function judge(
  { mutated, clean }: JudgedCopies,
  tests: readonly string[],
  seconds: number,
): Promise<Verdict> {
  const end = performance.now() + seconds * 1000
  const left = () => Math.max((end - performance.now()) / 1000, 0)
  const built = await mutated.build(BUILD_SECONDS)
  if (built.code !== 0) return { outcome: 'invalid', detail: 'does not build' }
  const distrusted = new Set<string>()
  let ran = 0
  for (const group of groupsOf(tests)) {
    let waiting = group
    while (waiting.length > 0) {
      if (left() < 1) return unfinished(ran, tests.length, seconds)
      const failure = await firstFailure(mutated, waiting, left())
      if (failure === undefined) break
      if (failure === 'stopped') return unfinished(ran, tests.length, seconds)
      const caught = await confirmed({ mutated, clean }, failure.file)
      if (caught !== undefined) return { outcome: 'caught', detail: describe(caught) }
      distrusted.add(failure.file)
      waiting = waiting.filter((file) => !distrusted.has(file))
    }
    ran += group.length
  }
  const detail = tests.length === 0 ? 'no test reaches it' : `all ${ran} related files passed`
  return {
    outcome: 'survived',
    detail:
      distrusted.size === 0
        ? detail
        : `${detail}, but ${[...distrusted].join(', ')}, which fail without it or only sometimes`,
  }
}

/**
 * Returns the repeated failure. A test that fails without the mutant as well, or passes with it the second time,
 * proves nothing.
 */
async function confirmed(
  { mutated, clean }: JudgedCopies,
  file: string,
): Promise<Failure | undefined> {
  if ((await firstFailure(clean, [file], BUILD_SECONDS)) !== undefined) return undefined
  const again = await firstFailure(mutated, [file], BUILD_SECONDS)
  return again === 'stopped' ? undefined : again
}

function describe({ file, test }: Failure): string {
  return test === '' ? file : `${file} > ${test}`
}

function unfinished(ran: number, all: number, seconds: number): Verdict {
  return {
    outcome: 'stopped',
    detail: `${ran} of ${all} related files passed when its ${seconds} s were up`,
  }
}

async function firstFailure(
  copy: JudgedCopy,
  files: readonly string[],
  seconds: number,
): Promise<Failure | 'stopped' | undefined> {
  const { ended, report } = await copy.runTests(files, seconds)
  const failures = (report?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .map((result) => {
      const failed = result.assertionResults.find(({ status }) => status === 'failed')
      return { file: relative(copy.folder, result.name), test: failed?.fullName ?? '' }
    })
  // Files cut short by the first failure have failed too, without a failed test.
  const failure = failures.find(({ test }) => test !== '') ?? failures[0]
  if (failure !== undefined) return failure
  if (ended.isStopped && files.length === 1) return { file: files[0] ?? '', test: '' }
  if (ended.isStopped) return 'stopped'
  return ended.code === 0 ? undefined : { file: files[0] ?? '', test: `exit code ${ended.code}` }
}
