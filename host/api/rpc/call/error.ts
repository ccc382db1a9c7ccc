import { type ErrorCode, LockstepError } from '../../../base/error.ts'
import { ERRORS } from '../../../base/error-table.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { CallOutcome } from '../../../evm/execute/simulate/gas-search.ts'
import { revertReason } from '../../../evm/trace/tracers/revert-reason.ts'

/** The error object of JSON-RPC. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Errors whose data a caller can act on; that of the others stays inside. */
const WITH_DATA: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'STATE_PRUNED',
  'REQUEST_TIMEOUT',
  'RESPONSE_TOO_LARGE',
  'LIMIT_EXCEEDED',
  'CLIENT_LIMIT',
  'SERVER_BUSY',
])

export const INTERNAL_ERROR: RpcError = { code: -32603, message: 'internal error' }

/** The object for what a handler threw; a defect shows nothing of itself. */
export function toRpcError(thrown: unknown): RpcError {
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

/** The error of a method that drives a development chain, on a chain that is none. */
export function noDevChain(method: string): LockstepError {
  return new LockstepError(
    'METHOD_NOT_FOUND',
    `the method ${method} does not exist/is not available: this node is no development chain (start it with --dev)`,
  )
}

/** The error of a call that ran and failed: code 3 with the revert data, or the EVM's own text. */
export function callError(outcome: CallOutcome): LockstepError {
  if (!outcome.reverted) {
    return new LockstepError('EXECUTION_FAILED', outcome.error ?? 'execution failed')
  }
  const reason = revertReason(outcome.output)
  const text = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return new LockstepError('EXECUTION_REVERTED', text, {
    data: { output: formatData(outcome.output) },
  })
}

/** The error where the memory for clients is in use (`evm.max_client_bytes`). */
export function heldTooMuch(limit: number): LockstepError {
  return new LockstepError(
    'CLIENT_LIMIT',
    `limit exceeded: client memory limit reached (evm.max_client_bytes = ${limit})`,
    {
      data: { limit, key: 'evm.max_client_bytes' },
      hint: 'read the answers, ask for less at a time, or raise evm.max_client_bytes',
    },
  )
}
