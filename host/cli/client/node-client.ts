import { LockstepError } from '../../base/error.ts'

/** A JSON-RPC response: its result or its error. */
export interface CliRpcResponse {
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }
}

function unreachable(url: string, reason: string, cause?: unknown): LockstepError {
  return new LockstepError('NODE_UNREACHABLE', `no node answers at ${url}: ${reason}`, {
    hint: 'start the node with `lockstep start`, or pass its address with --url or --node',
    cause,
  })
}

async function post(url: string, body: string, signal: AbortSignal | null): Promise<string> {
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body, signal })
    return await response.text()
  } catch (error) {
    const { cause, message } = error as { cause?: NodeJS.ErrnoException; message: string }
    throw unreachable(url, cause?.code ?? cause?.message ?? message, error)
  }
}

/** @throws INVALID_ARGUMENT unless the text is an http URL. */
export function parseUrl(text: string, flag = '--url'): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (isHttp) return text
  throw new LockstepError('INVALID_ARGUMENT', `${flag}: "${text}" is not an http address`, {
    hint: 'write it as http://127.0.0.1:8545',
  })
}

/** Calls a method of a node's JSON-RPC. @throws NODE_UNREACHABLE */
export async function callNode(
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal | null = null,
): Promise<CliRpcResponse> {
  const text = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal)
  try {
    const answer: CliRpcResponse | null = JSON.parse(text)
    if (answer?.error !== undefined || answer?.result !== undefined) return answer
  } catch (error) {
    throw unreachable(url, 'the answer is not JSON-RPC', error)
  }
  throw unreachable(url, 'the answer is not JSON-RPC')
}

/**
 * Returns the result of a JSON-RPC call.
 * @throws NODE_UNREACHABLE; NOT_FOUND with the node's message if it answers with an error.
 */
export async function askNode(
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal | null = null,
): Promise<unknown> {
  const { result, error } = await callNode(url, method, params, signal)
  if (error === undefined) return result
  const { message, code } = error
  throw new LockstepError('NOT_FOUND', `${method} was refused: ${message} (${code})`, {
    hint: 'check the target, and that the node serves the method and has the block',
  })
}
