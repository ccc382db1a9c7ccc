import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { Tracer, TracerConfig, TracerRequest } from '../tracer.ts'
import { CallTracer } from './call-tracer.ts'
import { matchesFilter, readAddressFilter, visitTraces } from './parity-trace.ts'

function readTraceAddress({ traceAddress }: TracerConfig): readonly number[] | undefined {
  if (traceAddress === undefined) return undefined
  const isIndex = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
  if (Array.isArray(traceAddress) && traceAddress.every(isIndex)) return traceAddress
  throw new LockstepError('INVALID_ARGUMENT', 'traceAddress: want an array of numbers')
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((index, i) => index === other[i])
}

/**
 * The frames of a mined transaction in the form of trace_transaction, each with its position in the chain. With
 * `traceAddress`, only the frame at that position, or null. With `filter`, only those that match it
 * (`AddressFilter`). With a joined list (`TracerRequest.joined`) it writes the frames into that list.
 */
export function parityListTracer(request: TracerRequest): Tracer {
  const { message, config, writer, joined, limits } = request
  const { env, position } = message
  const wanted = readTraceAddress(config)
  const filter = readAddressFilter(config.filter)
  const calls = new CallTracer({ onlyTopCall: false, withLog: false, maxBytes: limits.keptBytes })
  const place = {
    blockHash: position?.blockHash === undefined ? null : formatData(position.blockHash),
    blockNumber: env.number,
    transactionHash: position === undefined ? null : formatData(position.transactionHash),
    transactionPosition: position?.index ?? null,
  }

  const writeOne = (traceAddress: readonly number[]) => {
    let isFound = false
    visitTraces(calls.finishFrame(), env.revision, (trace) => {
      if (!isSame(trace.traceAddress, traceAddress)) return
      isFound = true
      writer.value({ ...trace, ...place })
    })
    if (!isFound) writer.raw('null')
  }

  const writeAll = () => {
    if (joined === undefined) writer.beginArray()
    visitTraces(calls.finishFrame(), env.revision, (trace) => {
      if (filter !== undefined && !matchesFilter(filter, trace)) return
      if (joined?.takes() !== false) writer.value({ ...trace, ...place })
    })
    if (joined === undefined) writer.end()
  }

  return {
    sink: calls,
    finish: () => {
      if (wanted === undefined) writeAll()
      else writeOne(wanted)
    },
  }
}
