import type { RpcObserver } from '../../api/rpc/call/context.ts'
import type { Counting } from '../../base/metrics/counting.ts'

/** Returns an observer that counts method calls. */
export function countCalls(metrics: Counting): RpcObserver['onAnswer'] {
  return (method, code, milliseconds) => {
    metrics.add('lockstep_rpc_requests_total', { method, code: String(code) })
    metrics.observe('lockstep_rpc_request_seconds', { method }, milliseconds / 1000)
  }
}
