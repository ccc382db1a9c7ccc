import type { Counting } from '../../metrics/counting.ts'
import type { RpcObserver } from '../../rpc/call/context.ts'

/** Counts the calls of methods. */
export function countCalls(metrics: Counting): RpcObserver['onAnswer'] {
  return (method, code, milliseconds) => {
    metrics.add('lockstep_rpc_requests_total', { method, code: String(code) })
    metrics.observe('lockstep_rpc_request_seconds', { method }, milliseconds / 1000)
  }
}
