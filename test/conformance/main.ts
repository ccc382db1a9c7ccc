/**
 * Runs published conformance vectors:
 * node test/conformance/main.ts <folder>... [--filter S] [--fork F] [--verbose] [--jobs N]
 * The last line is {"passed","failed","skipped","seconds"}; exit 0 only when nothing failed.
 */
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { FileResults } from './worker.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    filter: { type: 'string' },
    fork: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
})

/** The vectors' October 2024 draft of EIP-2537 disagrees with what became of it. */
const OUTDATED = 'stEIP2537'

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json') && !path.includes(OUTDATED))
    .map((path) => join(folder, path))
    .sort()
}

const missing = positionals.find((folder) => !existsSync(folder))
if (positionals.length === 0 || missing !== undefined) {
  console.error(
    missing === undefined
      ? 'name the folders of the vectors to run'
      : `no vectors at ${missing}: unpack them first`,
  )
  process.exit(64)
}

const started = performance.now()
const files = positionals.flatMap(listFiles)
let next = 0
let passed = 0
let skipped = 0
let failed = 0

function runWorker(): Promise<void> {
  return new Promise((resolve, reject) => {
    const workerData = { fork: values.fork, filter: values.filter }
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
    const feed = () => {
      const file = files[next++]
      if (file === undefined) void worker.terminate().then(() => resolve())
      else worker.postMessage(file)
    }
    worker.on('message', (results: FileResults) => {
      passed += results.passed
      skipped += results.skipped
      failed += results.failures.length
      for (const { name, failure } of results.failures) {
        console.log(`FAIL ${name}: ${values.verbose ? failure : failure.split('\n')[0]}`)
      }
      feed()
    })
    worker.on('error', reject)
    feed()
  })
}

await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, runWorker))
const seconds = Math.round((performance.now() - started) / 100) / 10
console.log(JSON.stringify({ passed, failed, skipped, seconds }))
process.exitCode = failed === 0 ? 0 : 1
