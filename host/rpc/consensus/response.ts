import { LockstepError, messageOf } from '../../base/error.ts'
import { ERRORS } from '../../base/error-table.ts'

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data: string
}

export type RpcId = string | number | null

export interface RpcResponse {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  readonly result?: object
  readonly error?: RpcError
}

export const LAG_TOO_HIGH = -32604
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603

const MESSAGES: ReadonlyMap<number, string> = new Map([
  [-32700, 'Parse error'],
  [-32600, 'Invalid request'],
  [METHOD_NOT_FOUND, 'Method not found'],
  [INVALID_PARAMS, 'Invalid params'],
])

/** The error object of CometBFT: a fixed message by code, the particulars in `data`. */
export function rpcError(thrown: unknown): RpcError {
  const code = thrown instanceof LockstepError ? ERRORS[thrown.code].rpc : INTERNAL_ERROR
  const message = MESSAGES.get(code)
  if (message !== undefined) return { code, message, data: messageOf(thrown) }
  return { code: INTERNAL_ERROR, message: 'Internal error', data: messageOf(thrown) }
}

export function success(id: RpcId, result: object): RpcResponse {
  return { jsonrpc: '2.0', id, result }
}

export function failure(id: RpcId, thrown: unknown): RpcResponse {
  return { jsonrpc: '2.0', id, error: rpcError(thrown) }
}
