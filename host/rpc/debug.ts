import { parseDuration } from '../base/duration.ts'
import { LockstepError } from '../base/error.ts'
import { CallTracer, type CallTracerOptions } from '../trace/call-tracer.ts'
import { findTransaction, transactionAt } from './block-reader.ts'
import type { RpcContext } from './context.ts'
import type { RpcCall } from './method.ts'
import { asObject, FLAG, type JsonObject, member, OBJECT, type ParamType, TEXT } from './params.ts'

const TRACERS: readonly string[] = ['callTracer']

/** The options of a trace, as the caller wrote them. */
export interface TraceOptions {
  readonly tracer: string | undefined
  readonly tracerConfig: JsonObject
  /** Milliseconds; undefined for the node's own limit. */
  readonly timeoutMs: number | undefined
}

const TIMEOUT: ParamType<number> = {
  label: 'duration',
  decode: (value) => {
    const text = TEXT.decode(value)
    const milliseconds = parseDuration(text)
    if (milliseconds !== undefined) return milliseconds
    throw new LockstepError('INVALID_ARGUMENT', `"${text}" is not a duration`, {
      hint: 'write it as 500ms, 10s or 1m30s',
    })
  },
}

/** Options that change nothing here (`reexec`) and those of other tracers are let pass, as geth does. */
export const TRACE_OPTIONS: ParamType<TraceOptions> = {
  label: 'trace options',
  decode: (value) => {
    const object = asObject(value, 'trace options')
    return {
      tracer: member(object, 'tracer', TEXT),
      tracerConfig: member(object, 'tracerConfig', OBJECT) ?? {},
      timeoutMs: member(object, 'timeout', TIMEOUT),
    }
  },
}

export const NO_TRACE_OPTIONS: TraceOptions = {
  tracer: undefined,
  tracerConfig: {},
  timeoutMs: undefined,
}

function callTracerOptions({ tracer, tracerConfig }: TraceOptions): CallTracerOptions {
  if (tracer === '') {
    throw new LockstepError('UNSUPPORTED', 'debug tracer name must not be empty')
  }
  if (tracer === undefined || !TRACERS.includes(tracer)) {
    // A script's source is not repeated: it can be long.
    const name = tracer === undefined ? 'default' : tracer.slice(0, 40)
    throw new LockstepError(
      'UNSUPPORTED',
      `tracer "${name}" is not available; available: ${TRACERS.join(', ')}`,
    )
  }
  return {
    onlyTopCall: member(tracerConfig, 'onlyTopCall', FLAG) ?? false,
    withLog: member(tracerConfig, 'withLog', FLAG) ?? false,
  }
}

function checkTraceable({ chain, limits }: RpcContext, height: number): void {
  if (height === 0) throw new LockstepError('UNSUPPORTED', 'genesis is not traceable')
  const { traceLookbackBlocks } = limits
  if (traceLookbackBlocks >= 0 && height < chain.latest - traceLookbackBlocks) {
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      `block number ${height} is beyond max lookback of ${traceLookbackBlocks}`,
      { data: { key: 'evm.max_trace_lookback_blocks', limit: traceLookbackBlocks } },
    )
  }
}

function timedOut(milliseconds: number): LockstepError {
  return new LockstepError('LIMIT_EXCEEDED', `trace timed out after ${milliseconds} ms`, {
    data: { option: 'timeout', key: 'evm.trace_timeout', milliseconds },
    hint: 'raise the timeout option, or evm.trace_timeout of the node',
  })
}

export async function traceTransaction(
  call: RpcCall,
  hash: Uint8Array,
  options: TraceOptions,
): Promise<unknown> {
  const { context } = call
  const tracer = new CallTracer(callTracerOptions(options))
  const found = findTransaction(context, hash)
  if (found === undefined) throw new LockstepError('NOT_FOUND', 'transaction not found')
  const { header, index } = found
  checkTraceable(context, header.number)
  const limit = Math.min(options.timeoutMs ?? Infinity, context.limits.traceTimeoutMs)
  await context.traceSlots.run(() =>
    call.within(
      limit,
      () => timedOut(limit),
      (signal) => context.replayer.replay(header.number, index, tracer, signal),
    ),
  )
  const { gas } = transactionAt(context, found, index)
  return tracer.finish(gas, found.receipts[index]?.gasUsed ?? 0n)
}
