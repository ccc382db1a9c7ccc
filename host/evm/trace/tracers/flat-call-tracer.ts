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
  /** Write failures in Parity's words. */
  readonly convertParityErrors: boolean
  /** Show calls to precompiles. */
  readonly includePrecompiles: boolean
}

/** Members that say where the transaction stands; a simulated call stands nowhere. */
function placeOf({ env, position }: TracedMessage): object {
  return {
    blockHash: position === undefined ? null : formatData(position.blockHash),
    blockNumber: position === undefined ? 0 : env.number,
    transactionHash: position === undefined ? null : formatData(position.transactionHash),
    transactionPosition: position?.index ?? 0,
  }
}

/**
 * The frames of callTracer one after another, as geth's flatCallTracer: each names its place in the tree by
 * `traceAddress`. The trace_ methods have a tracer of their own (`parity-list-tracer.ts`), whose root
 * counts its gas as Parity does.
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
