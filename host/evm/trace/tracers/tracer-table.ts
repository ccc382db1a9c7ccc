import { LockstepError } from '../../../base/error.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Tracer, TracerConfig, TracerRequest } from '../tracer.ts'
import { callTracer } from './call-tracer.ts'
import { consoleTracer } from './console-tracer.ts'
import { erc7562Tracer } from './erc7562-tracer.ts'
import { flatCallTracer } from './flat-call-tracer.ts'
import { fourByteTracer } from './four-byte-tracer.ts'
import { muxTracer } from './mux-tracer.ts'
import { parityTracer, readTraceTypes } from './parity-tracer.ts'
import { preimageTracer } from './preimage-tracer.ts'
import { prestateTracer } from './prestate-tracer.ts'
import { structLogger } from './struct-logger.ts'

/** The tracer that writes struct logs, and the one of a request that names none. */
export const STRUCT_TRACER = 'opcodeTracer'

type OpenTracer = (request: TracerRequest, keccak256: Keccak256) => Tracer | Promise<Tracer>

interface TracerRow {
  readonly open: OpenTracer
  /** The tracer looks at calls, logs and state, and at nothing between them; it may depend on the configuration. */
  readonly isByCall: boolean | ((config: TracerConfig) => boolean)
}

/** Watches nothing and gives `{}`: the cost of a replay alone. */
function noopTracer({ writer }: TracerRequest): Tracer {
  return {
    sink: { ignoresLogs: true, onEvent: () => {} },
    finish: () => writer.raw('{}'),
  }
}

/** Loaded when one of them is asked for, as the list of Parity's: pages have use for them only beside a node's methods. */
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
  // The tracers inside it may look at steps.
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
  ['noopTracer', { open: noopTracer, isByCall: true }],
  [STRUCT_TRACER, { open: structLogger, isByCall: false }],
])

const PLAIN_NAME = /^\w+$/

function unavailable(name: string): LockstepError {
  const names = [...TRACERS.keys()].join(', ')
  return new LockstepError('UNSUPPORTED', `tracer "${name}" is not available; available: ${names}`)
}

/** True for the source of a script, false for a name. */
export function isScript(tracer: string): boolean {
  return !PLAIN_NAME.test(tracer)
}

/**
 * True for a tracer under which the engine runs at its plain speed: the tracer works on calls, never on
 * steps.
 */
export function isByCall(tracer: string, config: TracerConfig): boolean {
  const isByCall = TRACERS.get(tracer)?.isByCall ?? false
  return typeof isByCall === 'boolean' ? isByCall : isByCall(config)
}

/**
 * The name that a request means, or the source as it is.
 * @throws UNSUPPORTED for what is neither a name of the table nor source.
 */
export function tracerName(tracer: string | undefined): string {
  const name = tracer ?? STRUCT_TRACER
  if (name === '') throw new LockstepError('UNSUPPORTED', 'debug tracer name must not be empty')
  if (!isScript(name) && !TRACERS.has(name)) throw unavailable(name)
  return name
}

/**
 * Opens a tracer of the table.
 * @throws UNSUPPORTED, and INVALID_ARGUMENT for a configuration that the tracer does not take.
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
