import { type ErrorCode, LockstepError } from '../../../base/error.ts'
import { ERRORS } from '../../../base/error-table.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { CallOutcome } from '../../../evm/execute/simulate/gas-search.ts'
import { gethRevertReason } from '../../../evm/trace/tracers/revert-reason.ts'

/** A JSON-RPC error object. */
export interface JsonRpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Error codes whose data helps the caller; the data of other errors is not exposed. */
const WITH_DATA: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'STATE_PRUNED',
  'REQUEST_TIMEOUT',
  'RESPONSE_TOO_LARGE',
  'LIMIT_EXCEEDED',
  'CLIENT_LIMIT',
  'SERVER_BUSY',
])

export const INTERNAL_ERROR: JsonRpcErrorObject = { code: -32603, message: 'internal error' }

/** Converts what a handler threw to an error object. Reveals nothing about a defect. */
export function toRpcError(thrown: unknown): JsonRpcErrorObject {
  if (!(thrown instanceof LockstepError)) return INTERNAL_ERROR
  const { rpc: code } = ERRORS[thrown.code]
  const { message } = thrown
  if (thrown.code === 'EXECUTION_REVERTED') return { code, message, data: thrown.data.output }
  if (thrown.code === 'UPSTREAM_REFUSED') return { message, ...(thrown.data as { code: number }) }
  if (thrown.code === 'SYNC_TIMEOUT') return { code, message, data: thrown.data.hash }
  if (WITH_DATA.has(thrown.code) && Object.keys(thrown.data).length > 0) {
    return { code, message, data: plainData(thrown.data) }
  }
  return { code, message }
}

function plainData(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? formatQuantity(value) : value,
    ]),
  )
}

export function methodNotFound(method: string): LockstepError {
  return new LockstepError(
    'METHOD_NOT_FOUND',
    `the method ${method} does not exist/is not available`,
  )
}

/** Returns the error of a development method on a node without --dev. */
export function noDevChain(method: string): LockstepError {
  return new LockstepError(
    'METHOD_NOT_FOUND',
    `the method ${method} does not exist/is not available: this node is not a development chain (start it with --dev)`,
  )
}

/** Returns the error of a failed execution: code 3 with the revert data, or the EVM's error message. */
export function callError(outcome: CallOutcome): LockstepError {
  if (!outcome.reverted) {
    return new LockstepError('EXECUTION_FAILED', outcome.error ?? 'execution failed')
  }
  const reason = gethRevertReason(outcome.output)
  const text = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return new LockstepError('EXECUTION_REVERTED', text, {
    data: { output: formatData(outcome.output) },
  })
}

/** Returns the error for exhausted client memory (`evm.max_client_bytes`). */
export function clientMemoryExceeded(limit: number): LockstepError {
  return new LockstepError(
    'CLIENT_LIMIT',
    `limit exceeded: client memory limit reached (evm.max_client_bytes = ${limit})`,
    {
      data: { limit, key: 'evm.max_client_bytes' },
      hint: 'read the pending responses, request less at a time, or raise evm.max_client_bytes',
    },
  )
}
