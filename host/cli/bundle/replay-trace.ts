import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import type { Engine } from '../../engine/engine.ts'
import { RecordedState } from '../../state/recorded-state.ts'
import type { Bundle } from '../../trace/bundle/bundle.ts'
import { JsonWriter } from '../../trace/json-writer.ts'
import { DEFAULT_SCRIPT_LIMITS } from '../../trace/script/limits.ts'
import { runTrace, type TraceJob } from '../../trace/trace-job.ts'
import type { TracerConfig } from '../../trace/tracer-config.ts'
import { tracerName } from '../../trace/tracers.ts'
import { ScriptEngines } from '../../trace-pool/script-engine.ts'
import type { BundleBench } from './bundle-bench.ts'

/** Which tracer watches, and how. */
export type TracerChoice = Pick<TraceJob, 'tracer' | 'config'>

/**
 * The tracer of that name, or of the source that a file of that name holds, with its options as JSON.
 * @throws UNSUPPORTED, INVALID_ARGUMENT
 */
export function chooseTracer(name: string, config: string | undefined): TracerChoice {
  const isFile = statSync(name, { throwIfNoEntry: false })?.isFile() ?? false
  const tracer = tracerName(isFile ? readFileSync(name, 'utf8') : name)
  return { tracer, config: config === undefined ? {} : parseConfig(config) }
}

function parseConfig(text: string): TracerConfig {
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

async function trace(
  bundle: Bundle,
  choice: TracerChoice,
  engine: Engine,
  scripts: ScriptEngines,
): Promise<void> {
  const { scope, plan, reads } = bundle
  const writer = new JsonWriter((chunk) => void process.stdout.write(chunk))
  const limits = { structLogBytes: Number.POSITIVE_INFINITY }
  engine.forgetCode()
  try {
    await runTrace(
      { target: { kind: scope }, plan, ...choice, limits },
      {
        engine,
        view: new RecordedState(reads),
        writer,
        signal: new AbortController().signal,
        scripts: () => scripts.open(),
        pause: untilTaken,
        onReplayed: () => {},
      },
    )
  } finally {
    writer.flush()
    process.stdout.write('\n')
  }
}

/**
 * Writes what the tracer gives of each bundle, as debug_traceTransaction or debug_traceBlockByNumber does;
 * one line each.
 * @throws what the first that fails throws, with the file's name.
 */
export async function traceBundles(
  paths: readonly string[],
  bench: BundleBench,
  choice: TracerChoice,
): Promise<void> {
  const scripts = new ScriptEngines(DEFAULT_SCRIPT_LIMITS.memoryBytes)
  for (const path of paths) {
    try {
      await bench.use((engine) => trace(bench.read(path, engine), choice, engine, scripts))
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.message.startsWith(`${path}: `)) throw thrown
      const { code, message, hint, cause } = thrown
      throw new LockstepError(code, `${path}: ${message}`, { hint, cause })
    }
  }
  for (const note of bench.notes()) process.stderr.write(note)
}
