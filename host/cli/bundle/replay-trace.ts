import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import type { TraceOptions } from '../../entry/replay.ts'
import { tracerName } from '../../evm/trace/tracers/tracer-table.ts'
import type { BundleReader } from './bundle-reader.ts'

/** The tracer and its options. */
export type ReplayTracer = Required<Pick<TraceOptions, 'tracer' | 'tracerConfig'>>

/**
 * Returns the tracer with the given name, or with the source in the file of that name, and its JSON options.
 * @throws UNSUPPORTED, INVALID_ARGUMENT
 */
export function chooseTracer(name: string, config: string | undefined): ReplayTracer {
  const isFile = statSync(name, { throwIfNoEntry: false })?.isFile() ?? false
  const tracer = tracerName(isFile ? readFileSync(name, 'utf8') : name)
  return { tracer, tracerConfig: config === undefined ? {} : parseConfig(config) }
}

function parseConfig(text: string): ReplayTracer['tracerConfig'] {
  try {
    const config: unknown = JSON.parse(text)
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) {
      return config as ReplayTracer['tracerConfig']
    }
  } catch {
    // Not JSON at all: falls through.
  }
  throw new LockstepError('INVALID_ARGUMENT', `--tracer-config: ${text} is not a JSON object`)
}

/** Writes to stdout. Waits when the buffer is full; that blocks all later chunks. */
async function write(chunk: Uint8Array): Promise<void> {
  const { stdout } = process
  if (stdout.write(chunk) || stdout.listenerCount('drain') > 0) return
  await once(stdout, 'drain')
}

/**
 * Writes the tracer's result of each bundle, as debug_traceTransaction or debug_traceBlockByNumber does; one line
 * each.
 * @throws the first error, with the name of the file.
 */
export async function traceBundles(
  paths: readonly string[],
  reader: BundleReader,
  choice: ReplayTracer,
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
