import { LockstepError } from '../../base/error.ts'
import { pause } from '../../base/timer.ts'
import { JsonMember } from '../../evm/trace/bundle/bundle-json.ts'
import {
  type HttpAnswer,
  type HttpExchange,
  httpExchange,
  networkFailure,
} from './http-exchange.ts'
import { parseNodeAddress } from './node-address.ts'
import { type CallAnswer, type NodeCall, nodeCallError, readBatch } from './rpc-answer.ts'

/** Options of a node client. */
export interface NodeClientOptions {
  /** Default: the fetch of the page or of Node. */
  readonly fetch?: typeof fetch
  /** Header fields of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts requests, which then throw REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal
  /** Milliseconds per answer. */
  readonly timeoutMs?: number
  /** Maximum bytes per answer. */
  readonly maxBytes?: number
  /** Retries of a request if the node is busy. */
  readonly retries?: number
  /** Milliseconds before the first retry, doubled for each further one. */
  readonly backoffMs?: number
  /** Calls per request; halved if the node takes fewer. */
  readonly batchSize?: number
  /** Concurrent requests. */
  readonly parallel?: number
  /** Called after each answer with the counts so far, to show progress. */
  readonly onProgress?: (cost: NodeCost) => void
}

const DEFAULTS = {
  timeoutMs: 30_000,
  maxBytes: 128 * 1024 * 1024,
  retries: 5,
  backoffMs: 250,
  batchSize: 100,
  parallel: 4,
} as const

/** Maximum wait before a retry. */
const LONGEST_WAIT_MS = 15_000

/** Counts of requests. */
export interface NodeCost {
  readonly requests: number
  readonly calls: number
  readonly bytes: number
}

/**
 * A node's JSON-RPC over HTTP. Every answer is parsed before it is used; messages name the node without its keys.
 */
export class NodeClient {
  readonly name: string
  readonly #options: NodeClientOptions & Record<keyof typeof DEFAULTS, number>
  /** The common part of all requests. */
  readonly #http: Omit<HttpExchange, 'method' | 'body'>
  #batchSize: number
  #nextId = 1
  /** Set after the first answer: a failure after that is worth a retry. */
  #hasAnswered = false
  #requests = 0
  #calls = 0
  #bytes = 0

  /** @throws INVALID_ARGUMENT if the address is not an HTTP one */
  constructor(url: string, options: NodeClientOptions = {}) {
    const { fetch: given = globalThis.fetch, signal } = options
    const parsed = parseNodeAddress(url)
    const address = { ...parsed, headers: { ...parsed.headers, ...options.headers } }
    this.name = address.name
    this.#options = { ...DEFAULTS, ...options }
    const { timeoutMs, maxBytes, batchSize } = this.#options
    // The page's own fetch cannot be called as another object's method
    const fetch: typeof given = (input, init) => given(input, init)
    this.#http = { address, fetch, signal, timeoutMs, maxBytes }
    this.#batchSize = Math.max(1, batchSize)
  }

  get cost(): NodeCost {
    return { requests: this.#requests, calls: this.#calls, bytes: this.#bytes }
  }

  /**
   * Returns the result of one call.
   * @throws NODE_UNREACHABLE, REQUEST_TIMEOUT, RESPONSE_TOO_LARGE, PEER_INVALID; METHOD_NOT_FOUND, STATE_PRUNED or
   * NOT_FOUND with the node's message if it returns an error
   */
  async ask(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const [answer] = (await this.askAll([{ method, params }])) as [CallAnswer]
    if ('error' in answer) throw nodeCallError(this.name, method, answer.error)
    return answer.result
  }

  /**
   * Returns the result of a call that a node may not serve. Returns undefined if it returns an error, by JSON-RPC or
   * HTTP, or does not answer.
   * @throws the signal's reason, RESPONSE_TOO_LARGE, PEER_INVALID
   */
  async askOptional(method: string, params: readonly unknown[] = []): Promise<unknown> {
    try {
      const [answer] = (await this.askAll([{ method, params }])) as [CallAnswer]
      return 'error' in answer ? undefined : answer.result
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'NODE_UNREACHABLE') throw thrown
      return undefined
    }
  }

  /** Returns the decoded result of one call. @throws as `ask`; PEER_INVALID if it is malformed */
  async read<Value>(
    method: string,
    params: readonly unknown[],
    decode: (member: JsonMember) => Value,
  ): Promise<Value> {
    return this.decode(method, await this.ask(method, params), decode)
  }

  /** Decodes a result. @throws PEER_INVALID with the node, the method and the member */
  decode<Value>(method: string, result: unknown, decode: (member: JsonMember) => Value): Value {
    try {
      return decode(new JsonMember(result, ''))
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'BUNDLE_INVALID') throw thrown
      throw this.invalid(method, thrown.message)
    }
  }

  /** Returns the error of an answer that breaks a rule. */
  invalid(method: string, what: string, hint?: string): LockstepError {
    return new LockstepError('PEER_INVALID', `${this.name}: ${method}: ${what}`, {
      hint: hint ?? 'check that the address is that of an Ethereum JSON-RPC, or ask another node',
    })
  }

  /**
   * Returns answers in the order of the calls, in as few requests as the node takes. @throws as `ask`, except for the
   * node's own errors
   */
  async askAll(calls: readonly NodeCall[]): Promise<readonly CallAnswer[]> {
    const answers = new Array<CallAnswer>(calls.length)
    let next = 0
    const work = async (): Promise<void> => {
      while (next < calls.length) {
        const from = next
        const some = calls.slice(from, from + this.#batchSize)
        next += some.length
        for (const [i, answer] of (await this.#askSome(some)).entries()) answers[from + i] = answer
      }
    }
    const lanes = Math.ceil(calls.length / this.#batchSize)
    await Promise.all(Array.from({ length: Math.min(this.#options.parallel, lanes) }, work))
    return answers
  }

  /** Sends one request. It retries the calls for which the node was busy, and splits a request that is too large. */
  async #askSome(calls: readonly NodeCall[]): Promise<readonly CallAnswer[]> {
    const answers = new Array<CallAnswer>(calls.length)
    let left = [...calls.keys()]
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= this.#options.retries
      const asked = left.map((at) => calls[at] as NodeCall)
      const outcome = await this.#try(asked)
      if (outcome.kind === 'split') return this.#askHalves(calls)
      if (outcome.kind === 'busy') {
        if (isLast) throw outcome.error
        await this.#wait(attempt, outcome.afterMs)
        continue
      }
      const busy: number[] = []
      for (const [i, answer] of outcome.answers.entries()) {
        const at = left[i] as number
        answers[at] = answer
        if ('error' in answer && answer.error.isBusy) busy.push(at)
      }
      if (busy.length === 0 || isLast) return answers
      left = busy
      await this.#wait(attempt, undefined)
    }
  }

  async #askHalves(calls: readonly NodeCall[]): Promise<readonly CallAnswer[]> {
    const half = Math.ceil(calls.length / 2)
    this.#batchSize = Math.min(this.#batchSize, half)
    const first = await this.#askSome(calls.slice(0, half))
    return [...first, ...(await this.#askSome(calls.slice(half)))]
  }

  async #try(calls: readonly NodeCall[]): Promise<Outcome> {
    const { method } = calls[0] as NodeCall
    const firstId = this.#nextId
    this.#nextId += calls.length
    this.#requests++
    this.#calls += calls.length
    const requests = calls.map((call, i) => ({ jsonrpc: '2.0', id: firstId + i, ...call }))
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests)
    const request: HttpExchange = { ...this.#http, method, body }
    let answer: HttpAnswer
    try {
      answer = await httpExchange(request)
    } catch (thrown) {
      if (thrown instanceof LockstepError) {
        if (thrown.code === 'RESPONSE_TOO_LARGE' && calls.length > 1) return { kind: 'split' }
        throw thrown
      }
      const error = networkFailure(request, thrown)
      if (!this.#hasAnswered) throw error
      return { kind: 'busy', error, afterMs: undefined }
    }
    this.#hasAnswered = true
    this.#bytes += answer.bytes
    this.#options.onProgress?.(this.cost)
    const answers = readBatch(answer, calls.length, firstId, (what, hint) =>
      this.invalid(method, what, hint),
    )
    if (answers.kind !== 'http') return answers
    const error = this.#refusedRequest(method, answer)
    if (answers.isBusy) return { kind: 'busy', error, afterMs: answer.retryAfterMs }
    throw error
  }

  #refusedRequest(method: string, { status }: HttpAnswer): LockstepError {
    return new LockstepError(
      'NODE_UNREACHABLE',
      `${this.name}: ${method} was answered with HTTP ${status}`,
      { hint: STATUS_REMEDIES[status] ?? 'check that the address is that of the JSON-RPC' },
    )
  }

  /** Waits before a retry, which then checks whether the signal was aborted. */
  async #wait(attempt: number, afterMs: number | undefined): Promise<void> {
    const backoff = this.#options.backoffMs * 2 ** attempt * (1 + Math.random() / 4)
    const ms = Math.min(LONGEST_WAIT_MS, Math.max(backoff, afterMs ?? 0))
    await pause(ms, this.#http.signal)
  }
}

type Outcome =
  | { readonly kind: 'answers'; readonly answers: readonly CallAnswer[] }
  | { readonly kind: 'split' }
  | {
      readonly kind: 'busy'
      readonly error: LockstepError
      readonly afterMs: number | undefined
    }

const STATUS_REMEDIES: Readonly<Record<number, string>> = {
  401: 'the node needs a key: write it into the address as its provider says',
  403: 'the node rejects this key or this page: check the allowed origins and methods of the key',
  404: 'the node serves its JSON-RPC under another path: correct the address',
  429: 'the node limits its requests: wait, or use a key or a node of your own',
}
