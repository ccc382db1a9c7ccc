import { formatData } from '../../../base/hex.ts'
import { readFlag, type TracedMessage, type Tracer, type TracerRequest } from '../tracer.ts'
import { CallTracer } from './call-tracer.ts'
import {
  actionOf,
  isPrecompileCall,
  parityError,
  resultOf,
  typeOf,
  visitFrames,
} from './parity-frame.ts'

interface FlatOptions {
  /** Reports failures in Parity's terms. */
  readonly convertParityErrors: boolean
  /** Includes calls to precompiles. */
  readonly includePrecompiles: boolean
}

/** Returns the members for the transaction's position; a simulated call has none. */
function placeOf({ env, position }: TracedMessage): object {
  return {
    blockHash: position?.blockHash === undefined ? null : formatData(position.blockHash),
    blockNumber: position === undefined ? 0 : env.number,
    transactionHash: position === undefined ? null : formatData(position.transactionHash),
    transactionPosition: position?.index ?? 0,
  }
}

/**
 * geth's flatCallTracer: callTracer's frames as a list, each with its position in the tree as `traceAddress`. The
 * trace_ methods use `parity-list-tracer.ts` instead, whose root frame counts gas like Parity.
 */
export function flatCallTracer(request: TracerRequest): Tracer {
  const { message, config, writer } = request
  const options: FlatOptions = {
    convertParityErrors: readFlag(config, 'convertParityErrors'),
    includePrecompiles: readFlag(config, 'includePrecompiles'),
  }
  const tracer = new CallTracer({
    onlyTopCall: false,
    withLog: false,
    maxBytes: request.limits.keptBytes,
  })
  const place = placeOf(message)
  return {
    sink: tracer,
    finish: ({ gasUsed }) => {
      writer.beginArray()
      visitFrames(
        tracer.finish(message.input.gas, gasUsed),
        (call) => options.includePrecompiles || !isPrecompileCall(call, message.env.revision),
        (frame, subtraces, traceAddress) => {
          const { error } = frame
          const result = resultOf(frame)
          writer.value({
            action: actionOf(frame),
            ...place,
            ...(error !== undefined && {
              error: options.convertParityErrors ? parityError(error) : error,
            }),
            ...(result !== undefined && { result }),
            subtraces,
            traceAddress,
            type: typeOf(frame),
          })
        },
      )
      writer.end()
    },
  }
}
