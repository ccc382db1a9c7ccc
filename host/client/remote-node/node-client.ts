import { LockstepError } from '../../base/error.ts'
import { JsonMember } from '../../evm/trace/bundle/bundle-json.ts'
import { type Exchange, exchange, type HttpAnswer, networkFailure } from './http-exchange.ts'
import { type NodeAddress, parseNodeAddress } from './node-address.ts'
import { pause } from './pause.ts'
import { type Answer, type RpcCall, readBatch, refusedCall } from './rpc-answer.ts'

/** How a node is asked. */
export interface NodeOptions {
  /** The page's own, or Node's, by default. */
  readonly fetch?: typeof fetch
  /** Ends what is asked: it throws REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal
  /** Milliseconds for one answer. */
  readonly timeoutMs?: number
  /** Bytes of one answer. */
  readonly maxBytes?: number
  /** Times that a request is repeated which the node was too busy for. */
  readonly retries?: number
  /** Milliseconds before the first repetition; each waits twice as long as the one before. */
  readonly backoffMs?: number
  /** Calls in one request; halved where the node takes fewer. */
  readonly batchSize?: number
  /** Requests at a time. */
  readonly parallel?: number
  /** Called after each answer with what has been asked so far: to show that a long question goes on. */
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

/** No repetition waits longer. */
const LONGEST_WAIT_MS = 15_000

/** Counts of what was asked. */
export interface NodeCost {
  readonly requests: number
  readonly calls: number
  readonly bytes: number
}

/**
 * A node's JSON-RPC over HTTP. Nothing that it answers is believed before it is parsed; messages name the
 * node without its keys.
 */
export class NodeClient {
  readonly name: string
  readonly #address: NodeAddress
  readonly #options: Required<Omit<NodeOptions, 'signal' | 'batchSize' | 'fetch' | 'onProgress'>>
  readonly #fetch: typeof fetch
  readonly #signal: AbortSignal | undefined
  readonly #onProgress: ((cost: NodeCost) => void) | undefined
  #batchSize: number
  #nextId = 1
  /** A node that has answered once is there: later silence is worth a repetition. */
  #hasAnswered = false
  #requests = 0
  #calls = 0
  #bytes = 0

  /** @throws INVALID_ARGUMENT where the address is none of HTTP */
  constructor(url: string, options: NodeOptions = {}) {
    const { signal, batchSize = DEFAULTS.batchSize, onProgress, ...others } = options
    const { fetch = globalThis.fetch, ...rest } = others
    this.#address = parseNodeAddress(url)
    this.name = this.#address.name
    this.#options = { ...DEFAULTS, ...rest }
    // The page's own refuses to be called as another object's method
    this.#fetch = (input, init) => fetch(input, init)
    this.#signal = signal
    this.#onProgress = onProgress
    this.#batchSize = Math.max(1, batchSize)
  }

  get cost(): NodeCost {
    return { requests: this.#requests, calls: this.#calls, bytes: this.#bytes }
  }

  /**
   * The result of one call.
   * @throws NODE_UNREACHABLE, REQUEST_TIMEOUT, RESPONSE_TOO_LARGE, PEER_INVALID; METHOD_NOT_FOUND,
   * STATE_PRUNED or NOT_FOUND with the node's words where it refuses
   */
  async ask(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const [answer] = (await this.askAll([{ method, params }])) as [Answer]
    if ('error' in answer) throw refusedCall(this.name, method, answer.error)
    return answer.result
  }

  /**
   * The result of a call that a node may not serve; undefined where it refuses it, by JSON-RPC or by HTTP, or does
   * not answer.
   * @throws what the signal was aborted with, RESPONSE_TOO_LARGE, PEER_INVALID
   */
  async askOptional(method: string, params: readonly unknown[] = []): Promise<unknown> {
    try {
      const [answer] = (await this.askAll([{ method, params }])) as [Answer]
      return 'error' in answer ? undefined : answer.result
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'NODE_UNREACHABLE') throw thrown
      return undefined
    }
  }

  /** The result of one call, read. @throws as `ask`; PEER_INVALID where it is not of its form */
  async read<Value>(
    method: string,
    params: readonly unknown[],
    decode: (member: JsonMember) => Value,
  ): Promise<Value> {
    return this.decode(method, await this.ask(method, params), decode)
  }

  /** Reads a result. @throws PEER_INVALID naming the node, the method and the member */
  decode<Value>(method: string, result: unknown, decode: (member: JsonMember) => Value): Value {
    try {
      return decode(new JsonMember(result, ''))
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'BUNDLE_INVALID') throw thrown
      throw this.invalid(method, thrown.message)
    }
  }

  /** The error of an answer that breaks a rule. */
  invalid(method: string, what: string, hint?: string): LockstepError {
    return new LockstepError('PEER_INVALID', `${this.name}: ${method}: ${what}`, {
      hint: hint ?? 'see that the address is that of an Ethereum JSON-RPC, or ask another node',
    })
  }

  /** Answers in the order of the calls, in as few requests as the node takes. @throws as `ask`, but for refusals */
  async askAll(calls: readonly RpcCall[]): Promise<readonly Answer[]> {
    const answers = new Array<Answer>(calls.length)
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

  /** One request, repeated for the calls that the node was too busy for, in parts where it is too large. */
  async #askSome(calls: readonly RpcCall[]): Promise<readonly Answer[]> {
    const answers = new Array<Answer>(calls.length)
    let left = [...calls.keys()]
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= this.#options.retries
      const asked = left.map((at) => calls[at] as RpcCall)
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

  async #askHalves(calls: readonly RpcCall[]): Promise<readonly Answer[]> {
    const half = Math.ceil(calls.length / 2)
    this.#batchSize = Math.min(this.#batchSize, half)
    const first = await this.#askSome(calls.slice(0, half))
    return [...first, ...(await this.#askSome(calls.slice(half)))]
  }

  async #try(calls: readonly RpcCall[]): Promise<Outcome> {
    const { method } = calls[0] as RpcCall
    const firstId = this.#nextId
    this.#nextId += calls.length
    this.#requests++
    this.#calls += calls.length
    const requests = calls.map((call, i) => ({ jsonrpc: '2.0', id: firstId + i, ...call }))
    const request: Exchange = {
      address: this.#address,
      body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
      method,
      fetch: this.#fetch,
      signal: this.#signal,
      timeoutMs: this.#options.timeoutMs,
      maxBytes: this.#options.maxBytes,
    }
    let answer: HttpAnswer
    try {
      answer = await exchange(request)
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
    this.#onProgress?.(this.cost)
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
      { hint: STATUS_REMEDIES[status] ?? 'see that the address is that of the JSON-RPC' },
    )
  }

  /** Waits before a repetition; the repetition notices that the signal has ended it. */
  async #wait(attempt: number, afterMs: number | undefined): Promise<void> {
    const backoff = this.#options.backoffMs * 2 ** attempt * (1 + Math.random() / 4)
    await pause(Math.min(LONGEST_WAIT_MS, Math.max(backoff, afterMs ?? 0)), this.#signal)
  }
}

type Outcome =
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | { readonly kind: 'split' }
  | {
      readonly kind: 'busy'
      readonly error: LockstepError
      readonly afterMs: number | undefined
    }

const STATUS_REMEDIES: Readonly<Record<number, string>> = {
  401: 'the node wants a key: write it into the address as its provider says',
  403: 'the node refuses this key, or this page: look at the list of origins and methods of the key',
  404: 'the node serves its JSON-RPC under another path: correct the address',
  429: 'the node limits how much is asked of it: wait, or use a key or a node of your own',
}
