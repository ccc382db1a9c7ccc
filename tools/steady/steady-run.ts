/** One run of a test file. */
export interface SteadyRun {
  readonly seed: number
  /** The first test that failed, with its message; undefined if the file passed. */
  readonly failure: string | undefined
}

/** The parts of vitest's JSON report that describe failures. */
export interface VitestReport {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages: readonly string[] | null
    }[]
  }[]
}

function firstLineOf(message: string): string {
  return message.split('\n').find((line) => line.trim() !== '') ?? 'no message'
}

/**
 * Returns the first failure of a run, or undefined if every test of it passed.
 * @param report vitest's report; undefined if it wrote none
 * @param code exit code of vitest, which also fails for an error outside tests
 * @param output of vitest, for such errors
 */
export function failureOf(
  report: VitestReport | undefined,
  code: number,
  output: string,
): string | undefined {
  for (const { status, message, assertionResults } of report?.testResults ?? []) {
    const failed = assertionResults.find((test) => test.status === 'failed')
    if (failed !== undefined) {
      return `${failed.fullName}: ${firstLineOf(failed.failureMessages?.[0] ?? '')}`
    }
    if (status === 'failed') return firstLineOf(message)
  }
  if (code !== 0) return `exit code ${code}: ${firstLineOf(errorIn(output))}`
  // A file whose tests are all skipped proves nothing.
  return report?.numPassedTests === 0 ? 'no test ran: all are skipped' : undefined
}

/** Returns vitest's output from the first error on. */
function errorIn(output: string): string {
  const lines = output.split('\n')
  const at = lines.findIndex((line) => /error/i.test(line))
  return lines.slice(Math.max(at, 0)).join('\n')
}

/** Returns a summary of a file's runs: how many failed, and the seed and the error of each. */
export function describeRuns(file: string, runs: readonly SteadyRun[]): string {
  const failed = runs.filter(({ failure }) => failure !== undefined)
  const lines = failed.map(({ seed, failure }) => `  LOCKSTEP_SEED=${seed}: ${failure}`)
  return [`${file}: ${failed.length} of ${runs.length} runs failed`, ...lines].join('\n')
}
