// The gate for a change (.ci/run): the checks, the fast set, the published vectors, the slow files of every run, and
// as many other slow files as the budget allows, starting with those that the change can affect.
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeRandom } from '../../test/support/random.ts'
import { ALWAYS } from './always.ts'
import { type ChosenFile, choose, estimateSeconds, takeBatch } from './choice.ts'
import { readDependencies } from './dependency-graph.ts'
import { Installer } from './install.ts'
import { PEER_NAMES, peerFinders, wantedPeers } from './peers.ts'
import { runNode } from './process.ts'
import { relatedTests } from './related-tests.ts'
import { StageLog } from './stages.ts'
import { readTestResults } from './test-results.ts'
import {
  changedFiles,
  cleanCommit,
  readSeconds,
  type Seconds,
  type TestSet,
  verifiedCommit,
  writeSeconds,
  writeVerified,
} from './verified.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MINUTES = 20

/** Most seconds of each stage on two cores. The files of the queue get the rest. */
const BUDGETS = { setup: 180, check: 90, installs: 240, fast: 270, conformance: 240 }
/** The installs run in parallel with these. */
const FIXED = BUDGETS.check + BUDGETS.fast + BUDGETS.conformance
/** The whole slow set. */
const SLOW_SECONDS = 25 * 60
/** Seconds of the queue that run at a time; the clock is checked in between. */
const BATCH_SECONDS = 90

const USAGE = `Usage: .ci/run [flags]
  --all          runs the whole slow set, and writes .ci/verified if all passed and the working tree is clean
  --dry-run      prints what would run, and runs nothing
  --seed <n>     repeats the draw of an earlier run
  --minutes ${MINUTES}   the budget, counted from the start of the script
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    all: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
    minutes: { type: 'string', default: String(MINUTES) },
    // When .ci/run began, in seconds since 1970
    started: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
  },
})
const seed = Number(values.seed)
const budget = Number(values.minutes) * 60
const started = Number(values.started)
const FLAGS: ReadonlySet<string> = new Set(['all', 'dry-run', 'seed', 'minutes', 'started'])
if (
  positionals.length > 0 ||
  Object.keys(values).some((flag) => !FLAGS.has(flag)) ||
  ![seed, budget, started].every((number) => Number.isFinite(number) && number >= 0)
) {
  process.stderr.write(USAGE)
  process.exit(64)
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const elapsed = () => Date.now() / 1000 - started
const stages = new StageLog(say, elapsed)
const setupSeconds = elapsed()

const graph = readDependencies(ROOT)
const tests = [...graph.keys()].filter((path) => path.endsWith('.test.ts'))
const fast = tests.filter((path) => !path.endsWith('.slow.test.ts'))
const slow = tests.filter((path) => /\.(?:slow|sized)\.test\.ts$/.test(path)).sort()
const finders = peerFinders(ROOT, graph)
const table = new Map(Object.entries(readSeconds(ROOT).slow))
const workers = availableParallelism() + 1
const estimate = (files: readonly string[]) => estimateSeconds(files, table, workers)

const always = ALWAYS.map(({ path }) => path)
const verified = verifiedCommit(ROOT)
const changed = changedFiles(ROOT, verified)
const isSlow = new Set(slow)
const affected =
  changed === undefined ? undefined : relatedTests(graph, changed, (path) => isSlow.has(path))
const forQueue = Math.max(budget - setupSeconds - FIXED - estimate(always), 0)
const { queue } = choose({
  slow,
  always,
  affected,
  table,
  workers,
  budget: forQueue,
  random: makeRandom(seed),
})

/**
 * Returns the part of the queue that fits in the budget if each stage takes its maximum. Peers of these files are
 * installed first.
 */
function plannedOf(files: readonly ChosenFile[]): readonly ChosenFile[] {
  const limits = { table, workers, left: forQueue, batchSeconds: forQueue }
  return takeBatch(files, limits).batch
}

function sayChoice(planned: readonly ChosenFile[]): void {
  const since = verified === undefined ? 'no .ci/verified' : `since ${verified.slice(0, 12)}`
  const what =
    affected === undefined
      ? `${since}: git does not have that commit, so all files count as changed`
      : `${since}: ${changed?.length} files changed, which can affect ${affected.length} of ${slow.length} slow files`
  say(`== slow set ${what}; the rest is drawn by --seed ${seed}`)
  const list = (files: readonly string[]) => files.map((path) => `   ${path}`).join('\n')
  if (!values['dry-run']) return
  say(`always, some ${Math.round(estimate(always))} s:\n${list(always)}`)
  for (const reason of ['affected', 'drawn'] as const) {
    const files = planned.filter((file) => file.reason === reason).map(({ path }) => path)
    say(`${reason}: ${files.length}, some ${Math.round(estimate(files))} s\n${list(files)}`)
  }
  sayLeftOut(queue.filter((file) => !planned.includes(file)))
}

function sayLeftOut(files: readonly ChosenFile[]): void {
  if (files.length === 0) return
  const names = files.map(
    ({ path, reason }) => `   ${path}${reason === 'affected' ? ' (affected)' : ''}`,
  )
  say(
    `== left out: ${files.length} of ${slow.length} files of the slow set\n${names.sort().join('\n')}`,
  )
}

const runTask = (task: string, ...args: readonly string[]) =>
  runNode([join(ROOT, 'tools/run.mjs'), task, ...args], ROOT, installer.variables)

async function mustPass(task: string, ...args: readonly string[]): Promise<void> {
  if ((await runTask(task, ...args)) !== 0) throw new Error(`npm run ${task} failed`)
}

const folder = mkdtempSync(join(tmpdir(), 'lockstep-ci-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Runs the given files of a set of tests, or the whole set. */
async function runTests(set: TestSet, files: readonly string[] = []) {
  const output = join(folder, 'results.json')
  rmSync(output, { force: true })
  const script = join(ROOT, 'tools/ci/run-tests.ts')
  const code = await runNode([script, output, set, ...files], ROOT, installer.variables)
  const { seconds, failures } = readTestResults(output)
  const passed = code === 0
  if (!passed) stages.fail(failures.length > 0 ? failures : [`code ${code} without a failed test`])
  return { passed, seconds }
}

/**
 * How much longer files took than the table says, as on a busy machine. The remaining budget is reduced accordingly.
 */
const slownessOf = (seconds: number, estimated: number) => Math.max(seconds / estimated, 1)

async function runQueue(
  measured: number,
): Promise<{ passed: boolean; leftOut: readonly ChosenFile[] }> {
  let passed = true
  let waiting: readonly ChosenFile[] = queue
  let slowness = measured
  for (;;) {
    const left = (budget - elapsed()) / slowness
    const limits = { table, workers, left, batchSeconds: BATCH_SECONDS / slowness }
    const { batch, rest } = takeBatch(waiting, limits)
    if (batch.length === 0) return { passed, leftOut: waiting }
    const files = batch.map(({ path }) => path)
    await installer.install(wantedPeers(graph, finders, files))
    const began = elapsed()
    passed = (await runTests('slow', files)).passed && passed
    slowness = slownessOf(elapsed() - began, estimate(files))
    waiting = rest
  }
}

async function runWhole(fast: Seconds): Promise<boolean> {
  const commit = cleanCommit(ROOT)
  const { passed, seconds } = await stages.run('slow set', SLOW_SECONDS, () => runTests('slow'))
  if (!passed) return false
  writeSeconds(ROOT, { fast, slow: seconds })
  if (commit !== undefined && cleanCommit(ROOT) === commit) {
    writeVerified(ROOT, commit)
    say(`== wrote .ci/verified and .ci/seconds.json for ${commit}: commit both`)
  } else say('== .ci/verified is unchanged: the working tree differs from its commit')
  return true
}

async function runConformance(): Promise<void> {
  if (process.env.LOCKSTEP_VECTORS === undefined) {
    say('no vectors: set LOCKSTEP_VECTORS to their folder to run them')
    return
  }
  await stages.run('conformance', BUDGETS.conformance, () => mustPass('conformance'))
}

async function runAll(planned: readonly ChosenFile[]): Promise<boolean> {
  stages.add('set-up', BUDGETS.setup, setupSeconds)
  const chosen = values.all ? slow : [...always, ...planned.map(({ path }) => path)]
  const forFast = installer.install(wantedPeers(graph, finders, fast))
  const forSlow = installer.install(wantedPeers(graph, finders, chosen))
  await stages.run('check', BUDGETS.check, () => mustPass('check'))
  // The vectors need no peer, so they run while the peers of the tests are still installing.
  const isEarly = !installer.isDone()
  if (isEarly) await runConformance()
  await stages.run('installs still running', BUDGETS.installs, () => forFast)
  const tested = await stages.run('npm test', BUDGETS.fast, () => runTests('fast'))
  if (!tested.passed) return false
  if (!isEarly) await runConformance()
  await forSlow
  if (values.all) return runWhole(tested.seconds)
  const alwaysSeconds = estimate(always)
  const began = elapsed()
  const { passed } = await stages.run('slow files of every run', alwaysSeconds, () =>
    runTests('slow', always),
  )
  const slowness = slownessOf(elapsed() - began, alwaysSeconds)
  const rest = await stages.run(
    'slow files by change and draw',
    Math.max(budget - elapsed(), 0),
    () => runQueue(slowness),
  )
  sayLeftOut(rest.leftOut)
  return passed && rest.passed
}

// Each running install listens for the end of the process.
process.setMaxListeners(2 * PEER_NAMES.length)
const installer = new Installer(ROOT, say)
const planned = plannedOf(queue)
sayChoice(planned)
if (!values['dry-run']) {
  try {
    if (!(await runAll(planned))) process.exitCode = 1
  } catch (error) {
    stages.fail([error instanceof Error ? error.message : String(error)])
    process.exitCode = 1
  }
  stages.summarize(elapsed())
  // Installs that are still running are no longer needed.
  process.exit()
}
