import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, threadId, workerData } from 'node:worker_threads'
import { type Engine, loadEngine } from '../../host/evm/engine/engine.ts'
import type { EngineSettings } from '../../host/evm/engine/options.ts'
import { readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { EVERY_JUMP } from '../support/engine/every-jump.ts'
import { AheadEngine } from './ahead-engine.ts'
import type { CaseFilter, CaseResult, Machines, VectorFile } from './case.ts'
import { type SkipReason, skipReasonOf } from './skip-reasons.ts'
import { SUITES } from './suites.ts'

/** The results of one file. */
export interface FileResults {
  readonly path: string
  readonly passed: number
  readonly failures: readonly { readonly name: string; readonly failure: string }[]
  readonly skips: readonly SkipReason[]
  /** Remarks on cases that passed. */
  readonly notes: readonly string[]
  /** Transactions whose speculative result was applied, and those executed again. */
  readonly ahead: Readonly<AheadEngine['counts']>
  /** Regions of code that were compiled. */
  readonly compiled: number
  readonly milliseconds: number
}

/** Which cases to run. Undefined members select all. */
export interface Selection {
  readonly fork: string | undefined
  readonly filter: string | undefined
  /** True to execute transactions speculatively (`AheadEngine`). */
  readonly isAhead: boolean
  /** True to compile the code behind every jump (`CodeCompiler`). */
  readonly isCompiled: boolean
  /** Folder in which each worker may create one. */
  readonly scratch: string
}

const { fork, filter, scratch, isAhead, isCompiled } = workerData as Selection
const pairing = new WebAssembly.Module(await readModule('pairing'))
const compiler = new WebAssembly.Module(await readModule('compile'))
const settings: EngineSettings = isCompiled
  ? { pairing, compiledCode: { compiler, ...EVERY_JUMP } }
  : { pairing }
const load = (bytes: BufferSource): Promise<Engine> =>
  isAhead ? AheadEngine.load(bytes, settings) : loadEngine(bytes, settings)
const machines: Machines = {
  engine: await load(await readModule('engine')),
  hasher: new CommitHasher(new WebAssembly.Module(await readModule('commit'))),
  scratch: join(scratch, String(threadId)),
  notes: new Set(),
}

function filterOf(path: string): CaseFilter {
  return (name, caseFork) =>
    (fork === undefined || caseFork === fork) &&
    (filter === undefined || path.includes(filter) || name.includes(filter))
}

async function* runCases(path: string): AsyncGenerator<CaseResult> {
  const skip = skipReasonOf(path)
  if (skip !== undefined) {
    if (filterOf(path)('', fork)) yield { name: '', skip }
    return
  }
  const text = readFileSync(path, 'utf8')
  const file: VectorFile = { path, content: path.endsWith('.json') ? JSON.parse(text) : text }
  const suite = SUITES.find(({ recognises }) => recognises(file))
  if (suite !== undefined) yield* suite.run(machines, file, filterOf(path))
  else yield { name: '', failure: 'no suite recognises the file' }
}

function takeCounts(): AheadEngine['counts'] {
  const { engine } = machines
  if (!(engine instanceof AheadEngine)) return { adopted: 0, repeated: 0 }
  const { adopted, repeated } = engine.counts
  Object.assign(engine.counts, { adopted: 0, repeated: 0 })
  return { adopted, repeated }
}

let compiledBefore = 0

/** Returns how many regions have been compiled since the last call. */
function takeCompiled(): number {
  const compiled = machines.engine.compiledCode?.compiled ?? 0
  const count = compiled - compiledBefore
  compiledBefore = compiled
  return count
}

async function runFile(path: string): Promise<FileResults> {
  const started = performance.now()
  let passed = 0
  const failures: { name: string; failure: string }[] = []
  const skips: SkipReason[] = []
  for await (const { name, failure, skip } of runCases(path)) {
    if (skip !== undefined) skips.push(skip)
    else if (failure === undefined) passed++
    else failures.push({ name, failure })
  }
  const notes = [...machines.notes]
  machines.notes.clear()
  const milliseconds = performance.now() - started
  const compiled = takeCompiled()
  return { path, passed, failures, skips, notes, ahead: takeCounts(), compiled, milliseconds }
}

parentPort?.on('message', async (path: string) => parentPort?.postMessage(await runFile(path)))
