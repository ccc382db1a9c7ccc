// Runs test files many times in a row on two busy cores, each time with another seed. A test that fails once in 50
// runs on a busy machine would block a change. Exit code 1 if a run failed.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeRuns, failureOf, type SteadyRun, type VitestReport } from './steady-run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const BUSY_CORE = fileURLToPath(new URL('busy-core.mjs', import.meta.url))
const BUSY_CORES = 2
const TIMES = 50

const USAGE = `Usage: npm run -s test:steady -- [--times ${TIMES}] [--project fast|slow] <file>...
  --project  the set whose sizes a *.sized.test.ts file uses; default: both
`

interface Outcome {
  readonly code: number
  readonly output: string
}

function runVitest(args: readonly string[], seed: number): Promise<Outcome> {
  const child = spawn(process.execPath, [VITEST, 'run', '-c', 'test/vitest.config.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, LOCKSTEP_SEED: String(seed), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() })
    })
  })
}

async function runOnce(file: string, project: readonly string[], folder: string) {
  const seed = randomInt(2 ** 32)
  const reportFile = join(folder, 'report.json')
  rmSync(reportFile, { force: true })
  const reporter = ['--reporter=json', `--outputFile=${reportFile}`]
  const { code, output } = await runVitest([...project, ...reporter, file], seed)
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport)
    : undefined
  return { seed, failure: failureOf(report, code, output) }
}

async function runFile(file: string, times: number, project: readonly string[], folder: string) {
  const runs: SteadyRun[] = []
  while (runs.length < times) {
    const started = performance.now()
    const run = await runOnce(file, project, folder)
    runs.push(run)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const end = run.failure === undefined ? 'passed' : `failed: ${run.failure}`
    process.stdout.write(
      `${file} ${runs.length} of ${times}, seed ${run.seed}, ${seconds} s: ${end}\n`,
    )
  }
  return runs
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string' }, project: { type: 'string' } },
})
const times = Number(values.times ?? TIMES)
const missing = positionals.find((file) => !existsSync(join(ROOT, file)))
if (positionals.length === 0 || missing !== undefined || !Number.isInteger(times) || times < 1) {
  if (missing !== undefined) process.stderr.write(`${missing} does not exist: name test files\n`)
  process.stderr.write(USAGE)
  process.exit(64)
}

const folder = mkdtempSync(join(tmpdir(), 'lockstep-steady-'))
const busy: ChildProcess[] = Array.from({ length: BUSY_CORES }, () => fork(BUSY_CORE))
try {
  const project = values.project === undefined ? [] : ['--project', values.project]
  const reports: string[] = []
  for (const file of positionals) {
    const runs = await runFile(file, times, project, folder)
    reports.push(describeRuns(file, runs))
    if (runs.some(({ failure }) => failure !== undefined)) process.exitCode = 1
  }
  process.stdout.write(`\n${reports.join('\n')}\n`)
} finally {
  for (const child of busy) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
