import { formatData } from '../../../base/hex.ts'
import type { Tracer, TracerRequest } from '../tracer.ts'
import { gethRevertReason } from './revert-reason.ts'

/** eth_callMany: {value} of a call that succeeds, otherwise {error} as reth has it, with the data of a revert. */
export function outcomeTracer({ writer }: TracerRequest): Tracer {
  return {
    sink: { ignoresLogs: true, onEvent: () => {} },
    finish: ({ success, output, error, reverted }) => {
      if (success) return writer.value({ value: formatData(output) })
      if (!reverted) return writer.value({ error: error ?? 'execution failed' })
      const reason = gethRevertReason(output)
      const text = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
      return writer.value({ error: text, data: formatData(output) })
    },
  }
}
