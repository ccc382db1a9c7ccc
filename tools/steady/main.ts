// Runs test files many times on two busy cores, each time with another seed. A test that fails once in 50 runs on a
// busy machine would block a change. Vitest starts once. A round runs every file once, in new processes. Exit code 1
// if a run failed.
import { type ChildProcess, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createVitest } from 'vitest/node'
import { describeRuns, failureOf, type SteadyRun } from './steady-run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUSY_CORE = fileURLToPath(new URL('busy-core.mjs', import.meta.url))
const BUSY_CORES = 2
const TIMES = 50

const USAGE = `Usage: npm run -s test:steady -- [flags] <file>...
  --times ${TIMES}            rounds, each of which runs every file once
  --minutes <n>         starts no round after this time
  --project fast|slow   the set whose sizes a *.sized.test.ts file uses; default: both
`

/** Errors that vitest cannot attribute to a file, such as a process that ended. */
const OUTSIDE = 'outside of the files'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: String(TIMES) },
    minutes: { type: 'string', default: 'Infinity' },
    project: { type: 'string' },
  },
})
const times = Number(values.times)
const minutes = Number(values.minutes)
const missing = positionals.find((file) => !existsSync(join(ROOT, file)))
if (positionals.length === 0 || missing !== undefined || !(times >= 1) || !(minutes > 0)) {
  if (missing !== undefined) process.stderr.write(`${missing} does not exist: name test files\n`)
  process.stderr.write(USAGE)
  process.exit(64)
}

const runs = new Map<string, SteadyRun[]>()
let failures = 0

function note(file: string, run: SteadyRun): void {
  const known = runs.get(file)
  if (known === undefined) runs.set(file, [run])
  else known.push(run)
  if (run.failure === undefined) return
  failures++
  process.stdout.write(`  ${file}: ${run.failure}\n`)
}

const busy: ChildProcess[] = Array.from({ length: BUSY_CORES }, () => fork(BUSY_CORE))
const started = performance.now()
const vitest = await createVitest({
  root: ROOT,
  config: 'test/vitest.config.ts',
  watch: false,
  reporters: [{}],
  ...(values.project !== undefined && { project: values.project }),
})
try {
  await vitest.standalone()
  const found = await vitest.globTestSpecifications(positionals.map((file) => join(ROOT, file)))
  for (let round = 1; round <= times; round++) {
    if (performance.now() - started > minutes * 60_000) break
    const seed = randomInt(2 ** 32)
    const before = performance.now()
    // The processes of a round have the environment of its start.
    process.env.LOCKSTEP_SEED = String(seed)
    const { unhandledErrors } = await vitest.runTestSpecifications(found)
    for (const { testModule, project, moduleId } of found) {
      const file = `${moduleId.slice(ROOT.length)} (${project.name})`
      const failure = testModule === undefined ? 'did not run' : failureOf(testModule)
      note(file, { seed, failure })
    }
    for (const error of unhandledErrors) {
      note(OUTSIDE, { seed, failure: String((error as Partial<Error>).message ?? error) })
    }
    const seconds = ((performance.now() - before) / 1000).toFixed(1)
    process.stdout.write(
      `round ${round} of ${times}, seed ${seed}: ${found.length} files in ${seconds} s, ${failures} failures so far\n`,
    )
  }
} finally {
  for (const child of busy) child.kill('SIGKILL')
  await vitest.close()
}
const reports = Array.from(runs, ([file, all]) => describeRuns(file, all))
process.stdout.write(`\n${reports.join('\n')}\n`)
process.exitCode = failures === 0 && runs.size > 0 ? 0 : 1
