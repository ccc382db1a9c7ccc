/**
 * Runs published conformance vectors: npm run -s conformance -- [folder...] [--filter S] [--fork F] [--verbose]
 * [--jobs N] [--slowest N] [--ahead] [--compiled] Without a folder it uses LOCKSTEP_VECTORS. The last line is
 * {"passed","failed","skipped","seconds"}. It exits with 0 only if nothing failed.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { SKIP_REASONS, type SkipReason } from './skip-reasons.ts'
import type { FileResults, Selection } from './worker.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    filter: { type: 'string' },
    fork: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    slowest: { type: 'string', default: '0' },
    ahead: { type: 'boolean', default: false },
    compiled: { type: 'boolean', default: false },
  },
})

const environment = process.env.LOCKSTEP_VECTORS
const folders = positionals.length > 0 || environment === undefined ? positionals : [environment]

/** Small files that take long: 2^32 rounds of BLAKE2, 50,000 hashes of 50,000 bytes, full blocks. */
const SLOW: readonly RegExp[] = [/MaxRounds|all50000_sha256/, /\/benchmark\//, /vmPerformance/]

function slowness(path: string): number {
  const index = SLOW.findIndex((pattern) => pattern.test(path))
  return index < 0 ? 0 : SLOW.length - index
}

/** Orders slow files first, so that no worker is left with one at the end. */
function byEffort(a: SizedFile, b: SizedFile): number {
  const slower = slowness(b.path) - slowness(a.path)
  return slower || b.size - a.size || (a.path < b.path ? -1 : 1)
}

interface SizedFile {
  readonly path: string
  readonly size: number
}

/** Returns the paths of the vector files in a folder. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(json|jsonl|io)$/.test(path))
    .map((path) => join(folder, path))
}

const missing = folders.find((folder) => !existsSync(folder))
if (folders.length === 0 || missing !== undefined) {
  console.error(
    missing === undefined
      ? 'name the folders of the vectors to run, or set LOCKSTEP_VECTORS'
      : `no vectors at ${missing}: unpack them first`,
  )
  process.exit(64)
}

const jobs = Number(values.jobs)
if (!Number.isInteger(jobs) || jobs < 1) {
  console.error(`--jobs ${values.jobs} is not a number of workers`)
  process.exit(64)
}

const scratch = mkdtempSync(join(tmpdir(), 'lockstep-conformance-'))
const started = performance.now()
const files = folders
  .flatMap(listFiles)
  .map((path) => ({ path, size: statSync(path).size }))
  .sort(byEffort)
const times: { readonly path: string; readonly milliseconds: number }[] = []
const skips = new Map<SkipReason, number>()
const notes = new Set<string>()
let next = 0
let passed = 0
let failed = 0
const ahead = { adopted: 0, repeated: 0 }
let compiled = 0

function report(results: FileResults): void {
  const { path, failures, milliseconds } = results
  passed += results.passed
  failed += failures.length
  for (const skip of results.skips) skips.set(skip, (skips.get(skip) ?? 0) + 1)
  for (const note of results.notes) notes.add(note)
  ahead.adopted += results.ahead.adopted
  ahead.repeated += results.ahead.repeated
  compiled += results.compiled
  for (const { name, failure } of failures) {
    const text = values.verbose ? failure : failure.split('\n')[0]
    clearProgress()
    console.log(`FAIL ${path}: ${name}: ${text}`)
  }
  times.push({ path, milliseconds })
  showProgress()
}

/** Progress is shown at most ten times a second, and only on a terminal. */
let shownAt = 0
function showProgress(): void {
  const now = performance.now()
  if (!process.stderr.isTTY || now - shownAt < 100) return
  shownAt = now
  process.stderr.write(
    `\r\x1b[K${times.length}/${files.length} files, ${passed} passed, ${failed} failed`,
  )
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
}

function runWorker(): Promise<void> {
  return new Promise((resolve, reject) => {
    const { fork, filter, ahead: isAhead, compiled: isCompiled } = values
    const workerData: Selection = { fork, filter, scratch, isAhead, isCompiled }
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
    const feed = () => {
      const file = files[next++]
      if (file === undefined) void worker.terminate().then(() => resolve())
      else worker.postMessage(file.path)
    }
    worker.on('message', (results: FileResults) => {
      report(results)
      feed()
    })
    worker.on('error', reject)
    feed()
  })
}

try {
  await Promise.all(Array.from({ length: Math.min(jobs, files.length) }, runWorker))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
clearProgress()
times.sort((a, b) => b.milliseconds - a.milliseconds)
for (const { path, milliseconds } of times.slice(0, Number(values.slowest))) {
  console.log(`${(milliseconds / 1000).toFixed(1)} s ${path}`)
}
for (const note of notes) console.log(`note: ${note}`)
for (const [reason, count] of skips) console.log(`skipped ${count}: ${SKIP_REASONS[reason]}`)
if (values.compiled) console.log(`compiled ${compiled} regions`)
if (values.ahead) {
  console.log(`ran ahead: ${ahead.adopted} adopted, ${ahead.repeated} a second time in their turn`)
}
const skipped = [...skips.values()].reduce((sum, count) => sum + count, 0)
const seconds = Math.round((performance.now() - started) / 100) / 10
console.log(JSON.stringify({ passed, failed, skipped, seconds }))
process.exitCode = failed === 0 ? 0 : 1
