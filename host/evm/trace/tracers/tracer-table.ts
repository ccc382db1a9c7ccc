import { LockstepError } from '../../../base/error.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Tracer, TracerConfig, TracerRequest } from '../tracer.ts'
import { callTracer } from './call-tracer.ts'
import { consoleTracer } from './console-tracer.ts'
import { erc7562Tracer } from './erc7562-tracer.ts'
import { flatCallTracer } from './flat-call-tracer.ts'
import { fourByteTracer } from './four-byte-tracer.ts'
import { muxTracer } from './mux-tracer.ts'
import { outcomeTracer } from './outcome-tracer.ts'
import { parityTracer, readTraceTypes } from './parity-tracer.ts'
import { preimageTracer } from './preimage-tracer.ts'
import { prestateTracer } from './prestate-tracer.ts'
import { structLogger } from './struct-logger.ts'

/** The struct logger, which is the default tracer. */
export const STRUCT_TRACER = 'opcodeTracer'

type OpenTracer = (request: TracerRequest, keccak256: Keccak256) => Tracer | Promise<Tracer>

interface TracerRow {
  readonly open: OpenTracer
  /** True if the tracer needs calls, logs and state but no steps. May depend on the configuration. */
  readonly isByCall: boolean | ((config: TracerConfig) => boolean)
}

/** Traces nothing and returns `{}`, to measure the replay alone. */
function noopTracer({ writer }: TracerRequest): Tracer {
  return {
    sink: { ignoresLogs: true, onEvent: () => {} },
    finish: () => writer.raw('{}'),
  }
}

/** Loaded on demand, like Parity's list tracer: browser pages rarely need them. */
const otterscan = () => import('./otterscan-tracers.ts')

/** The tracers by name. */
const TRACERS: ReadonlyMap<string, TracerRow> = new Map<string, TracerRow>([
  ['callTracer', { open: callTracer, isByCall: true }],
  ['flatCallTracer', { open: flatCallTracer, isByCall: true }],
  ['consoleTracer', { open: consoleTracer, isByCall: true }],
  ['prestateTracer', { open: prestateTracer, isByCall: true }],
  ['4byteTracer', { open: fourByteTracer, isByCall: true }],
  ['erc7562Tracer', { open: erc7562Tracer, isByCall: false }],
  ['keccak256PreimageTracer', { open: preimageTracer, isByCall: false }],
  // The tracers inside may need steps.
  [
    'muxTracer',
    {
      open: (request, keccak256) =>
        muxTracer(request, async (name, inner) => openTracer(name, inner, keccak256)),
      isByCall: false,
    },
  ],
  [
    'parityTracer',
    { open: parityTracer, isByCall: (config) => !readTraceTypes(config).has('vmTrace') },
  ],
  [
    'parityListTracer',
    {
      open: async (request) => (await import('./parity-list-tracer.ts')).parityListTracer(request),
      isByCall: true,
    },
  ],
  [
    'otsTraceTracer',
    { open: async (request) => (await otterscan()).otsTraceTracer(request), isByCall: true },
  ],
  [
    'otsOperationsTracer',
    { open: async (request) => (await otterscan()).otsOperationsTracer(request), isByCall: true },
  ],
  [
    'otsErrorTracer',
    { open: async (request) => (await otterscan()).otsErrorTracer(request), isByCall: true },
  ],
  ['outcomeTracer', { open: outcomeTracer, isByCall: true }],
  ['noopTracer', { open: noopTracer, isByCall: true }],
  [STRUCT_TRACER, { open: structLogger, isByCall: false }],
])

const PLAIN_NAME = /^\w+$/

function unavailable(name: string): LockstepError {
  const names = [...TRACERS.keys()].join(', ')
  return new LockstepError('UNSUPPORTED', `tracer "${name}" is not available; available: ${names}`)
}

/** True if `tracer` is the source of a script, false if it is a name. */
export function isScript(tracer: string): boolean {
  return !PLAIN_NAME.test(tracer)
}

/** True for a tracer that needs no steps, so that the engine runs at full speed. */
export function isByCall(tracer: string, config: TracerConfig): boolean {
  const isByCall = TRACERS.get(tracer)?.isByCall ?? false
  return typeof isByCall === 'boolean' ? isByCall : isByCall(config)
}

/**
 * Returns the tracer name of a request, or the script source unchanged.
 * @throws UNSUPPORTED if it is neither a known name nor source.
 */
export function tracerName(tracer: string | undefined): string {
  const name = tracer ?? STRUCT_TRACER
  if (name === '') throw new LockstepError('UNSUPPORTED', 'debug tracer name must not be empty')
  if (!isScript(name) && !TRACERS.has(name)) throw unavailable(name)
  return name
}

/**
 * Opens a tracer by name.
 * @throws UNSUPPORTED, and INVALID_ARGUMENT if the tracer rejects the configuration.
 */
export function openTracer(
  name: string,
  request: TracerRequest,
  keccak256: Keccak256,
): Tracer | Promise<Tracer> {
  const row = TRACERS.get(name)
  if (row === undefined) throw unavailable(name)
  return row.open(request, keccak256)
}
