import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import { type Engine, loadEngine } from '../engine/engine.ts'
import { compileEngine } from '../node/wasm.ts'
import { RecordedState } from '../state/recorded-state.ts'
import type { Bundle } from '../trace/bundle.ts'
import { replayBundle } from '../trace/bundle-replay.ts'
import { JsonWriter } from '../trace/json-writer.ts'
import { runTrace, type TraceSite } from '../trace/trace-job.ts'
import type { TracerConfig } from '../trace/tracer-config.ts'
import { tracerName } from '../trace/tracers.ts'
import { bundleFiles, readBundle } from './bundle-file.ts'
import { count, describeDifference, differenceFacts } from './difference-text.ts'

interface ReplayFlags {
  readonly tracer?: string
  readonly tracerConfig?: string
  readonly json?: true
}

/** What became of a bundle. `line` is for people, `facts` for programs. */
interface Report {
  readonly result: 'same' | 'differs' | 'invalid'
  readonly line: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** Bytes that the struct logger writes about one transaction: the default of evm.max_trace_struct_log_bytes. */
const STRUCT_LOG_BYTES = 32 * 1024 * 1024

async function compare(path: string, bundle: Bundle, engine: Engine): Promise<Report> {
  const { signal } = new AbortController()
  const { digests, difference } = await replayBundle(bundle, { engine, signal })
  if (difference !== undefined) {
    const line = `differs  ${path}: ${describeDifference(difference)}`
    return { result: 'differs', line, facts: { difference: differenceFacts(difference) } }
  }
  const transactions = digests.length
  const steps = digests.reduce((sum, { length }) => sum + length, 0)
  const isUnwatched = bundle.outcomes.some((outcome) => outcome.digests === undefined)
  const compared = isUnwatched ? 'receipts' : 'receipts and steps'
  const what = `${count(transactions, 'transaction')}, ${count(steps, 'step')}`
  return {
    result: 'same',
    line: `same     ${path}: ${what}, ${compared} compared`,
    facts: { transactions, steps, compared: isUnwatched ? 'receipts' : 'steps' },
  }
}

/** A bundle that cannot be run is reported like one that differs, so that the others still run. */
async function check(path: string, engine: Engine, engineHash: string): Promise<Report> {
  try {
    const bundle = readBundle(path, (bytes) => engine.keccak256(bytes))
    noteEngine(path, bundle, engineHash)
    return await compare(path, bundle, engine)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    const text = thrown.message.startsWith(path) ? thrown.message : `${path}: ${thrown.message}`
    return { result: 'invalid', line: `invalid  ${text}`, facts: { error: thrown.message } }
  }
}

function noteEngine(path: string, bundle: Bundle, engineHash: string): void {
  if (bundle.engineHash === engineHash) return
  const [recorded, now] = [bundle.engineHash, engineHash].map((hash) => hash.slice(0, 12))
  process.stderr.write(`Note: ${path} was recorded with engine ${recorded}, this one is ${now}\n`)
}

async function checkAll(paths: readonly string[], engine: Engine, hash: string, json: boolean) {
  const failed = { differs: 0, invalid: 0 }
  for (const path of paths) {
    const { result, line, facts } = await check(path, engine, hash)
    if (result !== 'same') failed[result]++
    const text = json ? JSON.stringify({ bundle: path, result, ...facts }) : line
    process.stdout.write(`${text}\n`)
  }
  const { differs, invalid } = failed
  const of = `of ${count(paths.length, 'bundle')}`
  if (invalid > 0) {
    throw new LockstepError('BUNDLE_INVALID', `${invalid} ${of} cannot be run, ${differs} differ`)
  }
  if (differs > 0) {
    throw new LockstepError('REPLAY_DIFFERS', `${differs} ${of} differ from what was recorded`)
  }
}

/** The value of --tracer: the source that a file of that name holds, or the name of a tracer. */
function tracerOf(text: string): string {
  return tracerName(existsSync(text) ? readFileSync(text, 'utf8') : text)
}

function configOf(text: string | undefined): TracerConfig {
  if (text === undefined) return {}
  try {
    const config: unknown = JSON.parse(text)
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) {
      return config as TracerConfig
    }
  } catch {
    // Falls through: not JSON at all
  }
  throw new LockstepError('INVALID_ARGUMENT', `--tracer-config: ${text} is not a JSON object`)
}

/** Waits for whoever reads the output. */
async function untilTaken(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}

/** Writes what the tracer gives of a bundle, as debug_traceTransaction or debug_traceBlockByNumber does. */
async function trace(
  path: string,
  engine: Engine,
  tracer: string,
  config: TracerConfig,
): Promise<void> {
  const { scope, plan, reads } = readBundle(path, (bytes) => engine.keccak256(bytes))
  const writer = new JsonWriter((chunk) => void process.stdout.write(chunk))
  const limits = { structLogBytes: STRUCT_LOG_BYTES }
  const site: TraceSite = {
    engine,
    view: new RecordedState(reads),
    writer,
    signal: new AbortController().signal,
    pause: untilTaken,
    onReplayed: () => {},
  }
  engine.forgetCode()
  try {
    await runTrace({ target: { kind: scope }, plan, tracer, config, limits }, site)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    const { code, message, hint, cause } = thrown
    throw new LockstepError(code, `${path}: ${message}`, { hint, cause })
  } finally {
    writer.flush()
    process.stdout.write('\n')
  }
}

export function defineReplay(command: Command): void {
  command
    .argument('<path...>', 'bundles that `lockstep record` has written, or folders of them')
    .option(
      '--tracer <NAME|FILE>',
      'print what a tracer gives: its name, or a file with its source',
    )
    .option('--tracer-config <JSON>', 'options of the tracer')
    .option('--json', 'one JSON object a bundle')
    .action(async (given: readonly string[], flags: ReplayFlags) => {
      const paths = given.flatMap(bundleFiles)
      const { engine: module, pairing, engineHash } = await compileEngine()
      const engine = await loadEngine(module, { pairing })
      if (flags.tracer === undefined) {
        await checkAll(paths, engine, engineHash, flags.json ?? false)
        return
      }
      const tracer = tracerOf(flags.tracer)
      const config = configOf(flags.tracerConfig)
      for (const path of paths) await trace(path, engine, tracer, config)
    })
}
