import { LockstepError } from '../../../base/error.ts'
import { TRACE_TYPES, type TraceType } from '../../../evm/trace/tracers/parity-tracer.ts'
import { CALL, type CallArgument } from '../argument/call-argument.ts'
import { asArray, COUNT, kindOf, type ParamType } from '../argument/parameter.ts'
import type { TraceRequestOptions } from '../debug/trace-options.ts'

/** The tracers of this namespace. */
export const REPLAY_TRACER = 'parityTracer'
export const LIST_TRACER = 'parityListTracer'

function typeOf(value: unknown): TraceType {
  const type = TRACE_TYPES.find((name) => name === value)
  if (type !== undefined) return type
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : kindOf(value)
  const text = `unknown trace type ${shown}, want some of ${TRACE_TYPES.join(', ')}`
  throw new LockstepError('INVALID_ARGUMENT', text)
}

/** The requested parts of a trace, without duplicates, in a fixed order. */
export const TRACE_TYPE_LIST: ParamType<readonly TraceType[]> = {
  label: 'trace types',
  decode: (value) => {
    const asked = new Set(asArray(value, 'an array of trace types').map(typeOf))
    return TRACE_TYPES.filter((type) => asked.has(type))
  },
}

/** A call with its requested trace types. */
export interface AskedCall {
  readonly argument: CallArgument
  readonly types: readonly TraceType[]
}

export const ASKED_CALLS: ParamType<readonly AskedCall[]> = {
  label: 'array of [call object, trace types]',
  decode: (value) =>
    asArray(value, 'an array of [call, trace types]').map((item) => {
      const [call, types] = asArray(item, 'a pair of call and trace types')
      return { argument: CALL.decode(call), types: TRACE_TYPE_LIST.decode(types) }
    }),
}

/** Position of a frame in the call tree of a transaction. */
export const TRACE_ADDRESS: ParamType<readonly number[]> = {
  label: 'trace address',
  decode: (value) => asArray(value, 'an array of positions').map(COUNT.decode),
}

/** Returns the options of this namespace's traces, which callers cannot choose. */
export function optionsOf(config: TraceRequestOptions['config']): TraceRequestOptions {
  return { tracer: undefined, config, timeoutMs: undefined }
}
