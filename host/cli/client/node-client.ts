import { fetchFailure, LockstepError } from '../../base/error.ts'

/** A JSON-RPC response: its result or its error. */
export interface CliRpcResponse {
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }
}

/** Returns a function that creates NODE_UNREACHABLE errors. `flags` names the options that take the address. */
export function nodeUnreachable(url: string, flags: string) {
  return (reason: string, cause?: unknown) =>
    new LockstepError('NODE_UNREACHABLE', `no node answers at ${url}: ${reason}`, {
      hint: `start the node with \`lockstep start\`, or pass its address with ${flags}`,
      cause,
    })
}

/** Returns the body of a response. @throws the error that `unreachable` returns */
export async function requestText(
  url: string,
  init: RequestInit,
  unreachable: (reason: string, cause: unknown) => LockstepError,
): Promise<string> {
  try {
    return await (await fetch(url, init)).text()
  } catch (error) {
    throw unreachable(fetchFailure(error), error)
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
  const unreachable = nodeUnreachable(url, '--url or --node')
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const text = await requestText(url, { method: 'POST', headers, body, signal }, unreachable)
  try {
    const answer: CliRpcResponse | null = JSON.parse(text)
    if (answer?.error !== undefined || answer?.result !== undefined) return answer
  } catch (error) {
    throw unreachable('the answer is not JSON-RPC', error)
  }
  throw unreachable('the answer is not JSON-RPC')
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
