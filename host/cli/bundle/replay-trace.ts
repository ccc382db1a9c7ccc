import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import type { TraceOptions } from '../../entry/replay.ts'
import { tracerName } from '../../evm/trace/tracers/tracer-table.ts'
import type { BundleReader } from './bundle-reader.ts'

/** Which tracer watches, and how. */
export type TracerChoice = Required<Pick<TraceOptions, 'tracer' | 'tracerConfig'>>

/**
 * The tracer of that name, or of the source that a file of that name holds, with its options as JSON.
 * @throws UNSUPPORTED, INVALID_ARGUMENT
 */
export function chooseTracer(name: string, config: string | undefined): TracerChoice {
  const isFile = statSync(name, { throwIfNoEntry: false })?.isFile() ?? false
  const tracer = tracerName(isFile ? readFileSync(name, 'utf8') : name)
  return { tracer, tracerConfig: config === undefined ? {} : parseConfig(config) }
}

function parseConfig(text: string): TracerChoice['tracerConfig'] {
  try {
    const config: unknown = JSON.parse(text)
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) {
      return config as TracerChoice['tracerConfig']
    }
  } catch {
    // Falls through: not JSON at all
  }
  throw new LockstepError('INVALID_ARGUMENT', `--tracer-config: ${text} is not a JSON object`)
}

/** Writes to stdout. The first chunk that its reader leaves no room for waits, for all that follow. */
async function write(chunk: Uint8Array): Promise<void> {
  const { stdout } = process
  if (stdout.write(chunk) || stdout.listenerCount('drain') > 0) return
  await once(stdout, 'drain')
}

/**
 * Writes what the tracer gives of each bundle, as debug_traceTransaction or debug_traceBlockByNumber does;
 * one line each.
 * @throws what the first that fails throws, with the file's name.
 */
export async function traceBundles(
  paths: readonly string[],
  reader: BundleReader,
  choice: TracerChoice,
): Promise<void> {
  for (const path of paths) {
    try {
      const recording = await reader.read(path)
      await recording.writeTrace(choice, write).finally(() => process.stdout.write('\n'))
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.message.startsWith(`${path}: `)) throw thrown
      const { code, message, hint, cause } = thrown
      throw new LockstepError(code, `${path}: ${message}`, { hint, cause })
    }
  }
  for (const note of reader.notes()) process.stderr.write(note)
}
