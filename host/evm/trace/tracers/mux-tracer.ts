import { LockstepError } from '../../../base/error.ts'
import { lookup } from '../../../base/lookup.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import { ChunkedJsonWriter } from '../json-writer.ts'
import type { Tracer, TracerConfig, TracerRequest } from '../tracer.ts'

/** Maximum nesting of multiplexers. */
const MAX_DEPTH = 16

export type OpenNested = (name: string, request: TracerRequest) => Promise<Tracer>

/** A tracer with its output buffered, because a tracer may write while the message runs. */
interface NamedTracer {
  readonly name: string
  readonly tracer: Tracer
  readonly written: ChunkedJsonWriter
  readonly chunks: readonly Uint8Array[]
}

/** Bytes of a chunk, small because most results are. */
const CHUNK = 16 * 1024

/** Combines several sinks into one that requests what any of them needs and passes all events to each. */
function mergeSinks(sinks: readonly TraceSink[]): TraceSink {
  const stepping = sinks.filter(({ steps }) => steps !== undefined)
  const steps = {
    stack: stepping.some(({ steps }) => steps?.stack),
    memory: stepping.some(({ steps }) => steps?.memory),
    each: stepping.some(({ steps }) => steps?.each),
  }
  return {
    ...(stepping.length > 0 && { steps }),
    wantsState: sinks.some(({ wantsState }) => wantsState),
    ignoresLogs: sinks.every(({ ignoresLogs }) => ignoresLogs),
    onBegin: (state) => {
      for (const sink of sinks) sink.onBegin?.(state)
    },
    onEvent: (event) => {
      for (const sink of sinks) sink.onEvent(event)
    },
    onStep: (step) => {
      for (const sink of stepping) sink.onStep?.(step)
    },
    onMemory: (depth, offset, bytes) => {
      for (const sink of stepping) sink.onMemory?.(depth, offset, bytes)
    },
  }
}

function configOf(config: TracerConfig, name: string): TracerConfig {
  const nested = lookup(config, name) ?? {}
  if (typeof nested === 'object' && !Array.isArray(nested)) return nested as TracerConfig
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `muxTracer: the configuration of "${name}" is not an object`,
  )
}

/**
 * geth's muxTracer: several tracers in one run. Its configuration holds theirs by name, and so does its result.
 * @throws the errors of opening them; LIMIT_EXCEEDED if they are nested too deeply.
 */
export async function muxTracer(
  request: TracerRequest,
  open: OpenNested,
  depth = 1,
): Promise<Tracer> {
  const { config, writer } = request
  if (depth > MAX_DEPTH) {
    throw new LockstepError('LIMIT_EXCEEDED', `muxTracer: nested deeper than ${MAX_DEPTH}`)
  }
  const nested: NamedTracer[] = []
  for (const name of Object.keys(config)) {
    const chunks: Uint8Array[] = []
    const written = new ChunkedJsonWriter((chunk) => void chunks.push(chunk), CHUNK)
    const inner = { ...request, config: configOf(config, name), writer: written }
    const tracer =
      name === 'muxTracer' ? await muxTracer(inner, open, depth + 1) : await open(name, inner)
    nested.push({ name, tracer, written, chunks })
  }
  const writeEach = (write: (tracer: Tracer) => void): void => {
    writer.beginObject()
    for (const { name, tracer, written, chunks } of nested) {
      write(tracer)
      written.flush()
      writer.name(name)
      writer.separate()
      for (const chunk of chunks) writer.part(chunk)
      writer.wrote()
    }
    writer.end()
  }
  return {
    sink: mergeSinks(nested.map(({ tracer }) => tracer.sink)),
    finish: (outcome) => writeEach((tracer) => tracer.finish(outcome)),
    close: () => {
      for (const { tracer } of nested) tracer.close?.()
    },
  }
}
