/** One run of a test file. */
export interface SteadyRun {
  readonly seed: number
  /** The first test that failed, with its message; undefined if the file passed. */
  readonly failure: string | undefined
}

interface RanTest {
  readonly fullName: string
  result(): {
    readonly state: string
    readonly errors?: readonly { readonly message: string }[] | undefined
  }
}

/** The members of vitest's `TestModule`, a test file that ran, which describe failures. */
export interface RanFile {
  state(): string
  /** Errors outside of tests, such as a module that cannot be loaded. */
  errors(): readonly { readonly message: string }[]
  readonly children: { allTests(): Iterable<RanTest> }
}

function firstLineOf(message: string): string {
  return message.split('\n').find((line) => line.trim() !== '') ?? 'no message'
}

/** Returns the first failure of a file, or undefined if every test of it passed. */
export function failureOf(file: RanFile): string | undefined {
  let passed = 0
  for (const test of file.children.allTests()) {
    const { state, errors = [] } = test.result()
    if (state === 'failed') return `${test.fullName}: ${firstLineOf(errors[0]?.message ?? '')}`
    if (state === 'passed') passed++
  }
  const [error] = file.errors()
  if (error !== undefined) return firstLineOf(error.message)
  const state = file.state()
  // The process of a file that stays queued or pending has ended.
  if (state !== 'passed' && state !== 'skipped') return `did not pass: ${state}`
  // A file whose tests are all skipped proves nothing.
  return passed === 0 ? 'no test ran: all are skipped' : undefined
}

/** Returns a summary of a file's runs: how many failed, and the seed and the error of each. */
export function describeRuns(file: string, runs: readonly SteadyRun[]): string {
  const failed = runs.filter(({ failure }) => failure !== undefined)
  const lines = failed.map(({ seed, failure }) => `  LOCKSTEP_SEED=${seed}: ${failure}`)
  return [`${file}: ${failed.length} of ${runs.length} runs failed`, ...lines].join('\n')
}
