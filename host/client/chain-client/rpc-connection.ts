import { fetchFailure, LockstepError } from '../../base/error.ts'
import { timeoutSignal } from '../../base/timer.ts'
import { type NodeAddress, parseNodeAddress } from '../remote-node/node-address.ts'
import { boundedText } from './bounded-text.ts'

/** Calls per HTTP request; fewer if the node takes fewer (geth takes 1,000, most services 100). */
const MAX_BATCH = 100

/** Maximum concurrent HTTP requests. Calls made meanwhile form the next batch. */
const MAX_IN_FLIGHT = 4

/** Maximum pending calls. */
const MAX_WAITING = 20_000

/** Maximum characters of a batch's answer: a receipt has some kilobytes, one with thousands of logs a few megabytes. */
const MAX_ANSWER = 64 * 1024 * 1024

const TIMEOUT_MS = 10_000

/** Statuses of servers that reject a body of this size. */
const TOO_LARGE: readonly number[] = [400, 413]

/** A JSON-RPC error of the node, with its message. */
export class NodeRefusal extends Error {
  readonly code: number
  /** Additional data of the node: the output of a call that reverted. */
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

interface AnswerToCall {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: {
    readonly code?: unknown
    readonly message?: unknown
    readonly data?: unknown
  }
}

/** A node's JSON-RPC over HTTP. Calls made in one event loop tick share a request. */
export class RpcConnection {
  readonly #address: NodeAddress
  readonly #waiting: Call[] = []
  #inFlight = 0
  /** Maximum calls per request, lowered to what the node takes. */
  #batch = MAX_BATCH
  #isScheduled = false

  /** @throws INVALID_ARGUMENT if the address is not an HTTP one */
  constructor(url: string) {
    this.#address = parseNodeAddress(url)
  }

  /**
   * Resolves with the result.
   * @throws NodeRefusal with the node's message; NODE_UNREACHABLE; CLIENT_LIMIT if too many calls are pending
   */
  call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(
        new LockstepError('CLIENT_LIMIT', `${MAX_WAITING} calls to the node are pending already`),
      )
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ method, params, resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      queueMicrotask(() => {
        this.#isScheduled = false
        this.#send()
      })
    })
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#inFlight < MAX_IN_FLIGHT) {
      this.#inFlight++
      void this.#exchange(this.#waiting.splice(0, this.#batch)).finally(() => {
        this.#inFlight--
        this.#send()
      })
    }
  }

  async #exchange(calls: readonly Call[]): Promise<void> {
    try {
      const answers = await this.#post(calls)
      if (answers === 'too many') {
        this.#batch = Math.min(this.#batch, Math.ceil(calls.length / 2))
        this.#waiting.unshift(...calls)
        return
      }
      calls.forEach((call, id) => {
        const answer = answers.get(id)
        if (answer === undefined) call.reject(this.#unreachable('it leaves a call unanswered'))
        else settle(call, answer)
      })
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }

  async #post(calls: readonly Call[]): Promise<ReadonlyMap<unknown, AnswerToCall> | 'too many'> {
    const messages = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    let status: number
    let text: string
    try {
      const { url, headers } = this.#address
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(messages.length === 1 ? messages[0] : messages),
        signal: timeoutSignal(TIMEOUT_MS),
        redirect: 'error',
      })
      status = response.status
      text = await boundedText(response, MAX_ANSWER)
    } catch (error) {
      throw this.#unreachable(fetchFailure(error), error)
    }
    const answers = answersById(text)
    // One answer to many calls: services limit their batches, each to a number of its own
    const isRefused = answers === undefined ? TOO_LARGE.includes(status) : answers.size < 2
    if (calls.length > 1 && isRefused) return 'too many'
    if (answers !== undefined) return answers
    throw this.#unreachable(status === 200 ? 'its answer is not JSON-RPC' : `HTTP ${status}`)
  }

  /** Names only the host, because the path of a service's address is often its key. */
  #unreachable(reason: string, cause?: unknown): LockstepError {
    const { host } = new URL(this.#address.url)
    return new LockstepError('NODE_UNREACHABLE', `no node answers at ${host}: ${reason}`, { cause })
  }
}

function settle({ resolve, reject }: Call, { error, result }: AnswerToCall): void {
  if (error === undefined || error === null) resolve(result)
  else {
    const message = String(error.message ?? 'no reason given')
    reject(new NodeRefusal(Number(error.code ?? 0), message, error.data))
  }
}

function answersById(text: string): ReadonlyMap<unknown, AnswerToCall> | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const answers = Array.isArray(parsed) ? parsed : [parsed]
  const isAnswer = (value: unknown) => typeof value === 'object' && value !== null
  if (!answers.every(isAnswer)) return undefined
  return new Map(answers.map((answer: AnswerToCall) => [answer.id, answer]))
}
