import { formatData } from '../../../base/hex.ts'
import { isPrecompile } from '../../chain-types/precompile.ts'
import type { EnterEvent, FrameType } from '../../engine/trace-event.ts'
import type { Tracer, TracerRequest } from '../tracer.ts'

const CALLS: readonly FrameType[] = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']
const SELECTOR = 4

/**
 * geth's 4byteTracer: counts called selectors as `{"0xselector-size": count}`, with the size of the arguments. Omits
 * creations and precompiles.
 */
export function fourByteTracer({ message, writer }: TracerRequest): Tracer {
  const { revision } = message.env
  const counts = new Map<string, number>()

  const isCounted = ({ type, to, input }: EnterEvent): boolean =>
    input.length >= SELECTOR && CALLS.includes(type) && !isPrecompile(to, revision)

  return {
    sink: {
      ignoresLogs: true,
      onEvent: (event) => {
        if (event.kind !== 'enter' || !isCounted(event)) return
        const { input } = event
        const name = `${formatData(input.subarray(0, SELECTOR))}-${input.length - SELECTOR}`
        counts.set(name, (counts.get(name) ?? 0) + 1)
      },
    },
    finish: () => writer.value(Object.fromEntries(counts)),
  }
}
