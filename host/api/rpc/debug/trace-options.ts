import { parseDuration } from '../../../base/duration.ts'
import { LockstepError } from '../../../base/error.ts'
import type { BlockOverride } from '../../../evm/execute/simulate/call-message.ts'
import type { AccountOverride } from '../../../evm/execute/simulate/overlay-view.ts'
import { STRUCT_TRACER } from '../../../evm/trace/tracers/tracer-table.ts'
import { BLOCK_OVERRIDES, STATE_OVERRIDES } from '../argument/call-argument.ts'
import {
  asObject,
  COUNT,
  FLAG,
  type JsonArgument,
  member,
  OBJECT,
  type ParamType,
  TEXT,
} from '../argument/parameter.ts'

/** Decoded options of a trace. */
export interface TraceRequestOptions {
  readonly tracer: string | undefined
  /** `tracerConfig`, overridden by struct logger options at the top level. */
  readonly config: JsonArgument
  /** Timeout in milliseconds; undefined for the node's limit. */
  readonly timeoutMs: number | undefined
}

/** The options of debug_traceCall. */
export interface TraceCallOptions extends TraceRequestOptions {
  readonly stateOverrides: readonly AccountOverride[]
  readonly blockOverrides: BlockOverride | undefined
  /** Number of transactions of the block to run first; undefined runs all. */
  readonly txIndex: number | undefined
}

/** Returns Go's error message for an invalid duration. */
function durationFault(text: string): string {
  const shown = JSON.stringify(text)
  const [, number, unit] = /^[-+]?(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(text) ?? []
  if (number === undefined) return `invalid duration ${shown}`
  if (unit === '') return `missing unit in duration ${shown}`
  return `unknown unit ${JSON.stringify(unit)} in duration ${shown}`
}

const TIMEOUT: ParamType<number> = {
  label: 'duration',
  decode: (value) => {
    const text = TEXT.decode(value)
    const milliseconds = parseDuration(text)
    if (milliseconds !== undefined) return milliseconds
    throw new LockstepError('LIMIT_EXCEEDED', `time: ${durationFault(text)}`, {
      hint: 'write it as 500ms, 10s or 1m30s',
    })
  },
}

/** Top-level options for geth's struct logger; `tracerConfig` may contain them as well. */
const STRUCT_LOGGER: Readonly<Record<string, ParamType<unknown>>> = {
  enableMemory: FLAG,
  disableStack: FLAG,
  disableStorage: FLAG,
  enableReturnData: FLAG,
  limit: COUNT,
}

function structLoggerOptions(object: JsonArgument): JsonArgument {
  const given = Object.entries(STRUCT_LOGGER).map(([name, type]) => [
    name,
    member(object, name, type),
  ])
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

/**
 * geth accepts overrides of the chain's rules, which Lockstep does not support. Ignoring them would return a
 * misleading trace.
 */
const CHAIN_OVERRIDES: ParamType<undefined> = {
  label: 'chain overrides',
  decode: (value) => {
    const [name] = Object.keys(OBJECT.decode(value))
    if (name === undefined) return undefined
    throw new LockstepError(
      'UNSUPPORTED',
      `overrides of the chain's rules are not supported: ${name}`,
      {
        hint: 'remove `overrides`; to change the block, use `blockOverrides` of debug_traceCall',
      },
    )
  },
}

function decodeOptions(value: unknown): TraceRequestOptions {
  const object = asObject(value, 'trace options')
  member(object, 'overrides', CHAIN_OVERRIDES)
  const tracer = member(object, 'tracer', TEXT)
  const config = member(object, 'tracerConfig', OBJECT) ?? {}
  const beside = structLoggerOptions(object)
  return {
    tracer,
    config: (tracer ?? STRUCT_TRACER) === STRUCT_TRACER ? { ...config, ...beside } : config,
    timeoutMs: member(object, 'timeout', TIMEOUT),
  }
}

/** Ignores options without effect (`reexec`), like geth. */
export const TRACE_OPTIONS: ParamType<TraceRequestOptions> = {
  label: 'trace options',
  decode: decodeOptions,
}

export const NO_TRACE_OPTIONS: TraceRequestOptions = {
  tracer: undefined,
  config: {},
  timeoutMs: undefined,
}

export const TRACE_CALL_OPTIONS: ParamType<TraceCallOptions> = {
  label: 'trace call options',
  decode: (value) => {
    const object = asObject(value, 'trace options')
    return {
      ...decodeOptions(value),
      stateOverrides: member(object, 'stateOverrides', STATE_OVERRIDES) ?? [],
      blockOverrides: member(object, 'blockOverrides', BLOCK_OVERRIDES),
      txIndex: member(object, 'txIndex', COUNT),
    }
  },
}

export const NO_TRACE_CALL_OPTIONS: TraceCallOptions = {
  ...NO_TRACE_OPTIONS,
  stateOverrides: [],
  blockOverrides: undefined,
  txIndex: undefined,
}
