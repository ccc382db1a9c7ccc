import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'

export interface CometRpcOptions {
  /** Path of the Unix socket of CometBFT's RPC. */
  readonly socketPath: string
  /** Response timeout in milliseconds. */
  readonly timeoutMs?: number
  /** Limit of concurrent connections; further calls wait. */
  readonly maxConnections?: number
}

/** Parameters by name in CometBFT's JSON: heights as strings, bytes as base64. */
export type CometParams = Readonly<Record<string, unknown>>

export interface CometCall {
  readonly method: string
  readonly params?: CometParams
}

/** A JSON-RPC error of CometBFT; `data` holds the reason. */
export interface CometError {
  readonly code: number
  readonly message: string
  readonly data: string
}

export type CometAnswer = { readonly result: unknown } | { readonly error: CometError }

const TIMEOUT_MS = 30_000
const MAX_CONNECTIONS = 16

/** Error codes of a connection that the peer has closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE'])

/** Size limit of a response: a page of a hundred transactions, each with its block's proof, in base64. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** Client of CometBFT's RPC over its Unix socket, with persistent connections and batches. */
export class CometRpc {
  readonly #socketPath: string
  readonly #timeoutMs: number
  readonly #agent: Agent
  #nextId = 0

  constructor({
    socketPath,
    timeoutMs = TIMEOUT_MS,
    maxConnections = MAX_CONNECTIONS,
  }: CometRpcOptions) {
    this.#socketPath = socketPath
    this.#timeoutMs = timeoutMs
    this.#agent = new Agent({ keepAlive: true, maxSockets: maxConnections })
  }

  /**
   * Returns the result of one call.
   * @throws COMETBFT_REFUSED with CometBFT's message, NODE_UNREACHABLE if it does not answer
   */
  async call(method: string, params: CometParams = {}, signal?: AbortSignal): Promise<unknown> {
    const id = this.#nextId++
    const answer = cometAnswer(await this.#ask({ jsonrpc: '2.0', id, method, params }, signal))
    if ('result' in answer) return answer.result
    const text = `CometBFT: ${method}: ${cometErrorText(answer.error)}`
    throw new LockstepError('COMETBFT_REFUSED', text, { data: { ...answer.error } })
  }

  /**
   * Sends calls as one batch and returns their responses in order.
   * @throws NODE_UNREACHABLE if CometBFT does not answer
   */
  async batch(calls: readonly CometCall[], signal?: AbortSignal): Promise<readonly CometAnswer[]> {
    if (calls.length === 0) return []
    const first = this.#nextId
    this.#nextId += calls.length
    const requests = calls.map(({ method, params = {} }, at) => ({
      jsonrpc: '2.0',
      id: first + at,
      method,
      params,
    }))
    const parsed = await this.#ask(requests, signal)
    // A rejected batch and a batch of one both have a single response.
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    const answers = new Map<unknown, unknown>()
    for (const item of list) answers.set((item as { id?: unknown } | null)?.id, item)
    return requests.map(({ id, method }) => {
      const answer = answers.get(id)
      if (answer !== undefined) return cometAnswer(answer)
      const whole = list.length === 1 ? cometAnswer(list[0]) : undefined
      if (whole !== undefined && 'error' in whole) return whole
      throw unreachable(`no answer to ${method} among ${list.length} to ${calls.length} calls`)
    })
  }

  /**
   * Posts `body` unchanged and returns the response, whose body the caller reads at its own pace. The signal also
   * aborts the body.
   * @throws NODE_UNREACHABLE if no response begins in time; the caller limits the time of the body
   */
  open(body: string | Uint8Array, signal?: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      let sent: ClientRequest
      // Started here, since the call may wait for a connection.
      const timer = startTimer(() => {
        sent.destroy(new Error(`no answer within ${this.#timeoutMs / 1000} s`))
      }, this.#timeoutMs)
      const send = () => {
        sent = this.#request(body, signal, (response) => {
          stopTimer(timer)
          resolve(response)
        })
        sent.on('error', (thrown: NodeJS.ErrnoException) => {
          // The peer closed the idle connection, which only shows on use: retry with another one.
          if (sent.reusedSocket && CLOSED.has(thrown.code)) return send()
          stopTimer(timer)
          reject(unreachable(messageOf(thrown), thrown))
        })
        sent.end(body)
      }
      send()
    })
  }

  #request(
    body: string | Uint8Array,
    signal: AbortSignal | undefined,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    return request(
      {
        socketPath: this.#socketPath,
        // Any host works over a Unix socket.
        host: 'localhost',
        method: 'POST',
        path: '/',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
        agent: this.#agent,
        ...(signal !== undefined && { signal }),
      },
      onResponse,
    )
  }

  /** Closes idle connections and aborts waiting calls. */
  close(): void {
    this.#agent.destroy()
  }

  /** Returns the parsed response to calls. */
  async #ask(calls: object, signal: AbortSignal | undefined): Promise<unknown> {
    const response = await this.open(JSON.stringify(calls), signal)
    const stall = startTimer(() => {
      response.destroy(new Error(`no whole answer within ${this.#timeoutMs / 1000} s`))
    }, this.#timeoutMs)
    const text = await readText(response)
      .catch((thrown) => {
        throw unreachable(messageOf(thrown), thrown)
      })
      .finally(() => stopTimer(stall))
    try {
      return JSON.parse(text)
    } catch {
      throw unreachable(`HTTP ${response.statusCode}: ${text.slice(0, 200).trim()}`)
    }
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_ANSWER_BYTES) {
      throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    }
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Returns the message and the data of an error. */
export function cometErrorText({ message, data }: CometError): string {
  return data === '' ? message : `${message}: ${data}`
}

/** Parses a JSON-RPC response of CometBFT. @throws NODE_UNREACHABLE unless it is an object */
export function cometAnswer(answer: unknown): CometAnswer {
  if (typeof answer !== 'object' || answer === null) throw unreachable('an answer is not an object')
  const { result, error } = answer as {
    readonly result?: unknown
    readonly error?: Partial<CometError> | null
  }
  if (error === undefined || error === null) return { result }
  const { code, message, data = '' } = error
  return { error: { code: Number(code), message: String(message), data: String(data) } }
}

function unreachable(reason: string, cause?: unknown): LockstepError {
  return new LockstepError('NODE_UNREACHABLE', `CometBFT does not answer: ${reason}`, {
    hint: 'the node starts it, and restarts it when it ends: see the log lines with component=cometbft',
    ...(cause !== undefined && { cause }),
  })
}
