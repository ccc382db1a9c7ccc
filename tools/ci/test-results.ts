import { readFileSync } from 'node:fs'

/** What became of files of a set of tests. */
export interface TestResults {
  /** Of each file that passed or failed; one that failed may have been shorter for it. */
  readonly seconds: Readonly<Record<string, number>>
  /** A line for each: the file, the test and the first line of its error. */
  readonly failures: readonly string[]
}

/** Reads what `run-tests.ts` has written; a run that ended before it wrote is a failure itself. */
export function readTestResults(path: string): TestResults {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { seconds: {}, failures: ['the run ended before it wrote its results'] }
  }
}
