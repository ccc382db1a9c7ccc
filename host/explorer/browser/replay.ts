import type { Replayed } from '../../evm/trace/recording/recording.ts'
import type { OpenBundle, RunOptions } from './open-bundle.ts'
import type { TracerQuestion } from './tracer-question.ts'

/** How a bundle is traced: the options of debug_traceTransaction. */
export interface ReplayOptions extends RunOptions, TracerQuestion {}

/**
 * Traces a bundle. Returns the parsed result of debug_traceTransaction, or of debug_traceBlockByNumber for a bundle
 * of a block.
 * @throws LockstepError UNSUPPORTED, INVALID_ARGUMENT, TRACE_DIFFERS, NOT_FOUND, ENGINE_FAULT
 */
export async function replay(bundle: OpenBundle, options: ReplayOptions = {}): Promise<unknown> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  await writeReplay(bundle, options, (chunk) => {
    parts.push(decoder.decode(chunk, { stream: true }))
  })
  return JSON.parse(parts.join(''))
}

/**
 * Writes the trace as JSON text in UTF-8, in chunks and of any length, byte for byte what the node returns. The run
 * awaits the result of `write`. After an error the text is incomplete.
 */
export async function writeReplay(
  bundle: OpenBundle,
  { signal, ...question }: ReplayOptions,
  write: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
): Promise<void> {
  await bundle.call('trace', { ...question, key: bundle.key }, { signal, onChunk: write })
}

/**
 * Replays a bundle and compares receipts byte for byte, and recorded steps, up to the first difference.
 * @throws LockstepError ENGINE_FAULT
 */
export function verify(bundle: OpenBundle, { signal }: RunOptions = {}): Promise<Replayed> {
  return bundle.call('verify', bundle.key, { signal })
}
