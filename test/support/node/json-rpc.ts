export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface RpcAnswer {
  readonly jsonrpc: '2.0'
  readonly id: number | string | null
  readonly result?: unknown
  readonly error?: RpcFailure
}

/** Sends one JSON-RPC call over HTTP and returns the unchanged response. */
export async function post(url: string, method: string, params: unknown[]): Promise<RpcAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as RpcAnswer
}

/**
 * Returns the result of one JSON-RPC call.
 * @throws Error with the error's message and code
 */
export async function call<Result>(
  url: string,
  method: string,
  params: unknown[] = [],
): Promise<Result> {
  const { result, error } = await post(url, method, params)
  if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.code})`)
  return result as Result
}
