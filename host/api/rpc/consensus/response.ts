import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { ERRORS } from '../../../base/error-table.ts'
import type { JsonChunks } from '../../../base/json-chunks.ts'
import { JsonStream, RawJson } from '../call/result.ts'

export interface ConsensusRpcError {
  readonly code: number
  readonly message: string
  readonly data: string
}

export type RpcId = string | number | null

export interface RpcResponse {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  /** A JSON value, `RawJson` or `JsonStream`. */
  readonly result?: object
  readonly error?: ConsensusRpcError
}

export const LAG_TOO_HIGH = -32604
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
/** The consensus engine behind the route does not respond. */
export const UNREACHABLE = -32000

const MESSAGES: ReadonlyMap<number, string> = new Map([
  [-32700, 'Parse error'],
  [-32600, 'Invalid request'],
  [METHOD_NOT_FOUND, 'Method not found'],
  [INVALID_PARAMS, 'Invalid params'],
])

/** Converts an exception to CometBFT's error object: a fixed message by code, with details in `data`. */
export function rpcError(thrown: unknown): ConsensusRpcError {
  if (thrown instanceof RelayedError) return thrown.error
  const code = thrown instanceof LockstepError ? ERRORS[thrown.code].rpc : INTERNAL_ERROR
  const message = MESSAGES.get(code)
  if (message !== undefined) return { code, message, data: messageOf(thrown) }
  return { code: INTERNAL_ERROR, message: 'Internal error', data: messageOf(thrown) }
}

export function success(id: RpcId, result: object): RpcResponse {
  return { jsonrpc: '2.0', id, result }
}

/** An error received from the server behind this one. */
export class RelayedError extends Error {
  readonly error: ConsensusRpcError

  constructor(error: ConsensusRpcError) {
    super(error.data)
    this.error = error
  }
}

export function failure(id: RpcId, thrown: unknown): RpcResponse {
  return { jsonrpc: '2.0', id, error: rpcError(thrown) }
}

/** The JSON of a response: a string, or chunks if the result is streamed. */
export type ResponseJson = string | AsyncIterable<BorrowedView>

/** Encodes a response. A streamed one does not request its first chunk yet. */
export function writeResponse(response: RpcResponse): ResponseJson {
  const { id, result, error } = response
  if (!(result instanceof JsonStream || result instanceof RawJson)) return JSON.stringify(response)
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
  const tail = error === undefined ? '}' : `,"error":${JSON.stringify(error)}}`
  return result instanceof RawJson
    ? head + result.text + tail
    : new EnvelopedStream(head, result.chunks, tail)
}

/**
 * A streamed result within its envelope. Not a generator, because a generator that has not started cannot be closed.
 */
class EnvelopedStream implements AsyncIterableIterator<BorrowedView> {
  readonly #chunks: JsonChunks
  readonly #tail: string
  #head: string | undefined
  #isDone = false

  constructor(head: string, chunks: JsonChunks, tail: string) {
    this.#head = head
    this.#chunks = chunks
    this.#tail = tail
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<BorrowedView, undefined>> {
    const head = this.#head
    this.#head = undefined
    if (head !== undefined) return { value: { borrowed: Buffer.from(head) }, done: false }
    if (this.#isDone) return { value: undefined, done: true }
    const { value, done } = await this.#chunks.next()
    if (done !== true) return { value, done: false }
    if (value !== undefined) throw value
    this.#isDone = true
    return { value: { borrowed: Buffer.from(this.#tail) }, done: false }
  }

  async return(): Promise<IteratorResult<BorrowedView, undefined>> {
    this.#isDone = true
    this.#head = undefined
    await this.#chunks.return()
    return { value: undefined, done: true }
  }
}
