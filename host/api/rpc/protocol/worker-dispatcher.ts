import { LockstepError } from '../../../base/error.ts'
import type { WorkerContext } from '../call/context.ts'
import { ForwardToMain } from '../call/main-forward.ts'
import type { Method } from '../call/method.ts'
import type { Caller } from '../call/rpc-call.ts'
import { runBatch } from './batch.ts'
import { CallRunner } from './call-runner.ts'
import { type DispatchedAnswer, SHORT_MS } from './dispatcher.ts'
import {
  bodyText,
  encodeFailure,
  encodeId,
  isNotification,
  type Message,
  type Parsed,
  parseRpcBody,
} from './jsonrpc.ts'
import {
  type ParsedRequest,
  parseYielding,
  reserveRequest,
  SHORT_BYTES,
  yieldToParse,
} from './long-request.ts'
import { type RawBatch, readRawBatch, SUBMIT_METHOD } from './raw-batch.ts'
import { MAX_DEPTH, RequestScan } from './request-scan.ts'
import { discard } from './streamed-answer.ts'
import { type SubmitAll, submitBatch } from './submit-batch.ts'
import { parseUsualRequest } from './usual-request.ts'

/** A response from an RPC worker itself, possibly later. */
export interface WorkerAnswer {
  readonly answer: DispatchedAnswer | Promise<DispatchedAnswer>
}

const OPEN_BRACE = 0x7b

/** Answers requests on an RPC worker; undefined for those that the main thread must answer. */
export interface WorkerAnswerer {
  /** For a request of at most `SHORT_BYTES`, decides synchronously whether it is answered here. */
  answer(
    body: Uint8Array,
    caller: Caller,
  ): WorkerAnswer | Promise<WorkerAnswer | undefined> | undefined
}

/**
 * Answers on an RPC worker the requests whose calls all use its methods. The main thread handles every other request,
 * including invalid ones.
 */
export class WorkerDispatcher<Context extends WorkerContext> implements WorkerAnswerer {
  readonly #context: Context
  readonly #runner: CallRunner<Context>
  readonly #names: ReadonlyMap<unknown, string>
  /**
   * Methods that are also answered in batches: a batch does not start until all its calls are known to be answered
   * here.
   */
  readonly #namesInBatch: ReadonlySet<unknown>
  /** Methods that perform one lookup, here and in the pool. They count as short whatever their measured time. */
  readonly #lookUps: ReadonlySet<unknown>
  readonly #submitAll: SubmitAll

  /** @param submitAll submits the transactions of a batch, as the method submits one */
  constructor(context: Context, methods: readonly Method<Context>[], submitAll: SubmitAll) {
    this.#context = context
    this.#submitAll = submitAll
    this.#runner = new CallRunner(context, methods)
    const own = methods.filter(({ name }) => !context.denied.has(name))
    this.#names = new Map(own.map(({ name }) => [name, name]))
    const named = (mayForwardLate: boolean) =>
      new Set(own.filter((one) => one.mayForwardLate === mayForwardLate).map(({ name }) => name))
    this.#lookUps = named(true)
    this.#namesInBatch = named(false)
  }

  answer(
    body: Uint8Array,
    caller: Caller,
  ): WorkerAnswer | Promise<WorkerAnswer | undefined> | undefined {
    if (body.length > SHORT_BYTES) return this.#answerLong(body, caller)
    const usual = this.#readUsual(body)
    if (usual !== undefined) return this.#answerParsed({ kind: 'single', message: usual }, caller)
    const raws = this.#readRaws(body)
    if (raws !== undefined) return { answer: this.#submit(raws, caller) }
    const parsed = this.#parse(body)
    return parsed && this.#answerParsed(parsed, caller)
  }

  async #answerLong(body: Uint8Array, caller: Caller): Promise<WorkerAnswer | undefined> {
    let request: ParsedRequest
    if (!(await yieldToParse(body, caller))) return { answer: undefined }
    try {
      const raws = this.#readRaws(body)
      if (raws !== undefined) {
        const release = reserveRequest(body, raws.values, caller, this.#context.work)
        return { answer: this.#submit(raws, caller).finally(release) }
      }
      request = await parseYielding(body, caller, this.#context)
    } catch (thrown) {
      if (thrown instanceof LockstepError) return undefined
      throw thrown
    }
    const { parsed, release } = request
    const own = this.#answerParsed(parsed, caller)
    if (!(own?.answer instanceof Promise)) {
      release()
      return own
    }
    return { answer: own.answer.finally(release) }
  }

  /** Parses a call in the usual form if it is within the request limits. */
  #readUsual(body: Uint8Array): Message | undefined {
    // A body cannot contain more values than bytes.
    const isWithin = body.length <= this.#context.limits.requestValues
    return isWithin && body[0] === OPEN_BRACE
      ? parseUsualRequest(bodyText(body), this.#names)
      : undefined
  }

  /** Parses a batch of raw transactions if it is within the request limits. */
  #readRaws(body: Uint8Array): RawBatch | undefined {
    if (!this.#namesInBatch.has(SUBMIT_METHOD)) return undefined
    const { batchRequests, requestValues } = this.#context.limits
    const raws = readRawBatch(body)
    if (raws === undefined || raws.ids.length > batchRequests) return undefined
    return raws.values > requestValues ? undefined : raws
  }

  #submit(raws: RawBatch, caller: Caller): Promise<DispatchedAnswer> {
    return submitBatch(this.#runner, this.#context, raws, caller, this.#submitAll)
  }

  #answerParsed(parsed: Parsed, caller: Caller): WorkerAnswer | undefined {
    switch (parsed.kind) {
      case 'single':
        return this.#names.has(parsed.message.method)
          ? this.#answerInTurn(parsed.message, caller)
          : undefined
      case 'batch': {
        const { messages } = parsed
        const { batchRequests } = this.#context.limits
        if (messages.length === 0 || messages.length > batchRequests) return undefined
        if (!messages.every((message) => this.#isSureOwn(message))) return undefined
        return { answer: runBatch(this.#runner, this.#context, messages, caller) }
      }
      case 'malformed':
        return undefined
    }
  }

  #parse(body: Uint8Array): Parsed | undefined {
    const { requestValues } = this.#context.limits
    const scan = new RequestScan(body, { values: requestValues, depth: MAX_DEPTH })
    try {
      scan.step()
    } catch {
      return undefined
    }
    return parseRpcBody(body, scan)
  }

  #isSureOwn({ method, params }: Message): boolean {
    return this.#namesInBatch.has(method) && !mentionsPending(params)
  }

  /** Queues a call that is not short. Does not start it if the main thread may have to answer. */
  #answerInTurn(message: Message, caller: Caller): WorkerAnswer | undefined {
    const expected = this.#lookUps.has(message.method) ? 0 : this.#runner.expectedMs(message)
    if (this.#context.work.hasTimeForShort && expected < SHORT_MS) {
      return this.#answerOne(message, caller)
    }
    if (!this.#isSureOwn(message)) return undefined
    const turn = caller.account.yield(expected)
    if (turn === undefined) return this.#answerOne(message, caller)
    return { answer: turn.then(() => this.#answerLate(message, caller)) }
  }

  async #answerLate(message: Message, caller: Caller): Promise<DispatchedAnswer> {
    const own = this.#answerOne(message, caller)
    if (own !== undefined) return own.answer
    const refused = this.#runner.refuse(
      String(message.method),
      performance.now(),
      new ForwardToMain(),
    )
    return isNotification(message) ? undefined : encodeFailure(encodeId(message), refused)
  }

  #answerOne(message: Message, caller: Caller): WorkerAnswer | undefined {
    let answer: ReturnType<CallRunner['call']>
    try {
      answer = this.#runner.call(message, caller)
    } catch (thrown) {
      if (thrown instanceof ForwardToMain) return undefined
      throw thrown
    }
    if (!isNotification(message)) return { answer }
    return { answer: answer instanceof Promise ? answer.then(discard) : discard(answer) }
  }
}

/** Returns true if an argument or one of its members is the tag `pending`, which needs the pool. */
function mentionsPending(params: unknown): boolean {
  if (!Array.isArray(params)) return false
  return params.some((param) => {
    if (typeof param === 'object' && param !== null) return Object.values(param).includes('pending')
    return param === 'pending'
  })
}
