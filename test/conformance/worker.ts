import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { loadEngine } from '../../host/engine/engine.ts'
import { readModule } from '../../host/node/wasm.ts'
import { runStateTest, type StateTest } from './state-test.ts'

/** Runs the files it is sent, one message each, and answers each with its results. */
export interface FileResults {
  readonly passed: number
  readonly skipped: number
  readonly failures: readonly { readonly name: string; readonly failure: string }[]
}

const { fork, filter } = workerData as { fork?: string; filter?: string }
const engine = await loadEngine(await readModule('engine'))

function isStateTest(test: unknown): test is StateTest {
  return typeof test === 'object' && test !== null && 'post' in test && 'transaction' in test
}

function runFile(path: string): FileResults {
  let passed = 0
  let skipped = 0
  const failures: { name: string; failure: string }[] = []
  const tests = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  for (const [name, test] of Object.entries(tests)) {
    if (!isStateTest(test)) {
      skipped++
      continue
    }
    const isWanted = (forkName: string, caseName: string) =>
      (fork === undefined || forkName === fork) &&
      (filter === undefined || path.includes(filter) || caseName.includes(filter))
    for (const result of runStateTest(engine, name, test, isWanted)) {
      if (result.failure === undefined) passed++
      else failures.push({ name: `${path}: ${result.name}`, failure: result.failure })
    }
  }
  return { passed, skipped, failures }
}

parentPort?.on('message', (path: string) => parentPort?.postMessage(runFile(path)))
