import { readFileSync } from 'node:fs'

/** Results of files of a set of tests. */
export interface TestResults {
  /** Seconds of each file that passed or failed. A failed file may have ended early. */
  readonly seconds: Readonly<Record<string, number>>
  /** One line each: the file, the test and the first line of its error. */
  readonly failures: readonly string[]
}

/** Reads the output of `run-tests.ts`. A run that ended before it wrote any counts as a failure. */
export function readTestResults(path: string): TestResults {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { seconds: {}, failures: ['the run ended before it wrote its results'] }
  }
}
