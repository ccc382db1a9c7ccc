import type { IncomingMessage } from 'node:http'
import type { BorrowedView } from '../../../../base/borrowed-view.ts'
import { messageOf } from '../../../../base/error.ts'
import type { JsonChunks } from '../../../../base/json-chunks.ts'
import { startTimer, stopTimer } from '../../../../base/timer.ts'
import type { CometParams, CometRpc } from '../../../../chain/consensus/cometbft/comet-rpc.ts'
import { JsonStream, RawJson } from '../../call/result.ts'
import type { RouteCaller } from '../context.ts'
import { RelayedError, UNREACHABLE } from '../response.ts'

/** Maximum bytes of a response that is buffered whole; a longer one is streamed. */
const WHOLE_BYTES = 64 * 1024

/** Maximum bytes of an error response. */
const MAX_ERROR_BYTES = 4 * 1024 * 1024

/** Maximum pause of CometBFT within a response, in milliseconds. */
const STALL_MS = 30_000

/** Start of CometBFT's responses to requests with id 1. */
const RESULT_HEAD = Buffer.from('{"jsonrpc":"2.0","id":1,"result":')
const ERROR_HEAD = Buffer.from('{"jsonrpc":"2.0","id":1,"error":')
const CLOSING_BRACE = 0x7d

function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(0, head.length), head) === 0
}

/** The error if CometBFT does not respond. */
function unreachable(data: string): RelayedError {
  return new RelayedError({ code: UNREACHABLE, message: 'Server error', data })
}

/** Returns the reason for clients, without the path of the socket. */
function reasonOf(thrown: unknown): string {
  const { cause } = thrown as { cause?: NodeJS.ErrnoException }
  const reason = cause?.code ?? messageOf(cause ?? thrown)
  return `CometBFT does not answer (${reason}): the node restarts it if it ends, try again shortly`
}

function unreadable(): RelayedError {
  return unreachable("CometBFT's response is not JSON-RPC")
}

/** A response body with a timeout on each pause of the sender; the reader may pause at will. */
class Body {
  readonly #response: IncomingMessage
  readonly #parts: AsyncIterator<Uint8Array>

  constructor(response: IncomingMessage) {
    this.#response = response
    this.#parts = response[Symbol.asyncIterator]()
  }

  /** Returns undefined at the end. Throws if the body is truncated. */
  async next(): Promise<Uint8Array | undefined> {
    const stall = startTimer(() => this.drop(), STALL_MS)
    try {
      const { value, done } = await this.#parts.next()
      return done === true ? undefined : value
    } finally {
      stopTimer(stall)
    }
  }

  drop(): void {
    this.#response.destroy()
  }
}

/** Streams the result of a response that is still arriving, without its envelope. */
class ResultChunks implements JsonChunks {
  readonly #body: Body
  readonly #caller: RouteCaller
  /** Delays one chunk, because the last one ends with the closing brace of the envelope. */
  #held: Uint8Array | undefined

  constructor(body: Body, begun: Uint8Array, caller: RouteCaller) {
    this.#body = body
    this.#held = begun
    this.#caller = caller
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<BorrowedView, undefined>> {
    const held = this.#held
    if (held === undefined) return { value: undefined, done: true }
    const turn = this.#caller.account.yield()
    if (turn !== undefined) await turn
    this.#held = await this.#body.next()
    if (this.#held !== undefined) return { value: { borrowed: held }, done: false }
    if (held.at(-1) !== CLOSING_BRACE) throw unreadable()
    return { value: { borrowed: held.subarray(0, -1) }, done: false }
  }

  return(): Promise<IteratorResult<BorrowedView, undefined>> {
    this.#held = undefined
    this.#body.drop()
    return Promise.resolve({ value: undefined, done: true })
  }
}

/** @throws the error of a response with CometBFT's message */
function throwError(answer: Uint8Array): never {
  let error: { code?: unknown; message?: unknown; data?: unknown } | undefined
  try {
    error = JSON.parse(Buffer.from(answer).toString()).error
  } catch {
    throw unreadable()
  }
  const { code, message, data = '' } = error ?? {}
  if (typeof code !== 'number') throw unreadable()
  throw new RelayedError({ code, message: String(message), data: String(data) })
}

/**
 * Calls CometBFT on behalf of clients. Each request is encoded again from the parsed values, so CometBFT cannot
 * interpret it differently. Results are streamed unchanged.
 */
export class CometRelay {
  readonly #rpc: Pick<CometRpc, 'open'>

  constructor(rpc: Pick<CometRpc, 'open'>) {
    this.#rpc = rpc
  }

  /** @throws RelayedError with CometBFT's message, or if it does not respond */
  async call(
    method: string,
    params: CometParams,
    caller: RouteCaller,
  ): Promise<RawJson | JsonStream> {
    const body = new Body(await this.#open(method, params, caller))
    const parts: Uint8Array[] = []
    let length = 0
    let limit = WHOLE_BYTES
    try {
      for (;;) {
        const part = await body.next()
        if (part === undefined) break
        parts.push(part)
        length += part.length
        if (length <= limit) continue
        const begun = Buffer.concat(parts)
        if (startsWith(begun, RESULT_HEAD)) {
          return new JsonStream(new ResultChunks(body, begun.subarray(RESULT_HEAD.length), caller))
        }
        if (!startsWith(begun, ERROR_HEAD) || limit === MAX_ERROR_BYTES) throw unreadable()
        limit = MAX_ERROR_BYTES
      }
    } catch (thrown) {
      body.drop()
      if (thrown instanceof RelayedError) throw thrown
      throw unreachable("CometBFT's response was aborted: try again shortly")
    }
    const answer = Buffer.concat(parts)
    if (!startsWith(answer, RESULT_HEAD)) throwError(answer)
    if (answer.at(-1) !== CLOSING_BRACE) throw unreadable()
    return new RawJson(answer.toString('utf8', RESULT_HEAD.length, answer.length - 1))
  }

  /** Returns the parsed result, for routes that modify it. */
  async value(method: string, params: CometParams, caller: RouteCaller): Promise<unknown> {
    const result = await this.call(method, params, caller)
    if (result instanceof RawJson) return JSON.parse(result.text)
    const parts: Uint8Array[] = []
    for await (const { borrowed } of result.chunks) parts.push(borrowed)
    return JSON.parse(Buffer.concat(parts).toString())
  }

  async #open(
    method: string,
    params: CometParams,
    { signal }: RouteCaller,
  ): Promise<IncomingMessage> {
    try {
      return await this.#rpc.open(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal)
    } catch (thrown) {
      throw unreachable(reasonOf(thrown))
    }
  }
}
