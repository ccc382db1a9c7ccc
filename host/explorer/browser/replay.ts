import type { Replayed } from '../../evm/trace/recording/recording.ts'
import type { OpenBundle, RunOptions } from './open-bundle.ts'
import type { TracerQuestion } from './tracer-question.ts'

/** How a bundle is traced: the options of debug_traceTransaction. */
export interface ReplayOptions extends RunOptions, TracerQuestion {}

/**
 * Runs a bundle under a tracer: the result of debug_traceTransaction, or for a bundle of a block of
 * debug_traceBlockByNumber, parsed.
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
 * The same as JSON text in UTF-8, in chunks as they come: to the byte what the node answers, of any length. The run
 * waits for what `write` returns. After an error the text is not whole.
 */
export async function writeReplay(
  bundle: OpenBundle,
  { signal, ...question }: ReplayOptions,
  write: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
): Promise<void> {
  await bundle.call('trace', { ...question, key: bundle.key }, { signal, onChunk: write })
}

/**
 * Runs a bundle and compares receipts to the byte, and steps where they were recorded, up to the first
 * difference.
 * @throws LockstepError ENGINE_FAULT
 */
export function verify(bundle: OpenBundle, { signal }: RunOptions = {}): Promise<Replayed> {
  return bundle.call('verify', bundle.key, { signal })
}
