import { LockstepError } from '../base/error.ts'
import type { RpcContext } from './context.ts'
import { methodNotFound, type RpcError, toRpcError } from './error.ts'
import {
  encodeFailure,
  encodeId,
  encodeSuccess,
  isNotification,
  isSound,
  type Message,
  parseBody,
} from './jsonrpc.ts'
import { type Caller, JsonStream, type Method, RawJson, RpcCall } from './method.ts'
import { decodeParams } from './params.ts'
import { StreamedAnswer } from './streamed-answer.ts'

/** Calls of one batch that run at a time: enough to share a sync to disk, few enough to be fair. */
const BATCH_CONCURRENCY = 32

/** What goes back: JSON text, JSON in pieces, or nothing (notifications only). */
export type Answer = OneAnswer | undefined

type OneAnswer = string | StreamedAnswer

function failure(id: string, code: number, message: string): string {
  return encodeFailure(id, { code, message })
}

/** Answers JSON-RPC messages from the table of methods. */
export class Dispatcher {
  readonly #context: RpcContext
  readonly #methods: ReadonlyMap<string, Method>

  constructor(context: RpcContext, methods: readonly Method[]) {
    this.#context = context
    this.#methods = new Map(methods.map((method) => [method.name, method]))
  }

  /** A call whose handler answers at once is answered at once: no promise is made. */
  answer(body: Uint8Array, caller: Caller): Answer | Promise<Answer> {
    const parsed = parseBody(body)
    switch (parsed.kind) {
      case 'malformed':
        return failure('null', -32700, 'parse error')
      case 'single':
        return this.#answerOne(parsed.message, caller)
      case 'batch':
        return this.#answerBatch(parsed.messages, caller)
    }
  }

  #answerOne(message: Message, caller: Caller): Answer | Promise<Answer> {
    const answer = this.#call(message, caller)
    if (!isNotification(message)) return answer
    return answer instanceof Promise ? answer.then(discard) : discard(answer)
  }

  #answerBatch(messages: readonly Message[], caller: Caller): Answer | Promise<Answer> {
    const { limits } = this.#context
    if (messages.length === 0) return failure('null', -32600, 'empty batch')
    if (messages.length > limits.batchRequests) {
      const first = messages.find((message) => isSound(message) && message.id !== undefined)
      return `[${failure(encodeId(first?.id), -32600, 'batch too large')}]`
    }
    return this.#runBatch(messages, caller)
  }

  async #runBatch(messages: readonly Message[], caller: Caller): Promise<Answer> {
    const answers = new Array<string | undefined>(messages.length)
    let budget = this.#context.limits.responseBytes
    let next = 0
    const run = async (message: Message): Promise<string | undefined> => {
      const refused = isNotification(message)
        ? undefined
        : failure(encodeId(message.id), -32003, 'response too large')
      if (budget < 0 || caller.signal.aborted) return refused
      const one = await this.#call(message, caller)
      if (isNotification(message)) return discard(one)
      const answer = typeof one === 'string' ? one : await one.text(budget, tooLarge())
      budget -= answer.length
      return budget < 0 ? refused : answer
    }
    // A batch has one slot for its traces: they run one after another.
    let lastTrace: Promise<unknown> = Promise.resolve()
    const inTurn = (message: Message): Promise<string | undefined> => {
      const answer = lastTrace.then(() => run(message))
      lastTrace = answer
      return answer
    }
    const worker = async () => {
      for (let i = next++; i < messages.length; i = next++) {
        const message = messages[i] as Message
        answers[i] = await (this.#hasDeadline(message) ? inTurn(message) : run(message))
      }
    }
    const workers = Math.min(BATCH_CONCURRENCY, messages.length)
    await Promise.all(Array.from({ length: workers }, worker))
    const present = answers.filter((answer) => answer !== undefined)
    return present.length === 0 ? undefined : `[${present.join(',')}]`
  }

  #hasDeadline({ method }: Message): boolean {
    return typeof method === 'string' && this.#methods.get(method)?.hasDeadline === true
  }

  #call(message: Message, caller: Caller): OneAnswer | Promise<OneAnswer> {
    const id = encodeId(message.id)
    if (!isSound(message)) return failure(id, -32600, 'invalid request')
    const name = message.method as string
    const started = performance.now()
    const method = this.#methods.get(name)
    try {
      if (method === undefined || this.#context.denied.has(name)) throw methodNotFound(name)
      if (!method.transports.includes(caller.transport)) throw notificationsUnsupported()
      const args = decodeParams(message.params, method.params) as never[]
      const result = method.run(new RpcCall(this.#context, caller), ...args)
      if (!(result instanceof Promise)) return this.#succeed(id, name, started, result)
      return this.#settle(id, method, started, result)
    } catch (thrown) {
      return this.#fail(id, method === undefined ? 'unknown' : name, started, thrown)
    }
  }

  /** The answer when the handler is done or, if that is earlier, when its time is up. */
  #settle(
    id: string,
    { name, hasDeadline }: Method,
    started: number,
    result: Promise<unknown>,
  ): Promise<OneAnswer> {
    return new Promise((resolve) => {
      let answered = false
      const finish = (answer: () => OneAnswer) => {
        if (answered) return
        answered = true
        clearTimeout(timer)
        try {
          resolve(answer())
        } catch (thrown) {
          resolve(this.#fail(id, name, started, thrown))
        }
      }
      const expire = () => {
        const error = new LockstepError('REQUEST_TIMEOUT', 'request timed out')
        finish(() => this.#fail(id, name, started, error))
      }
      const { methodTimeoutMs } = this.#context.limits
      const timer = hasDeadline ? undefined : setTimeout(expire, methodTimeoutMs)
      result.then(
        (late) => finish(() => this.#succeed(id, name, started, late)),
        (thrown) => finish(() => this.#fail(id, name, started, thrown)),
      )
    })
  }

  #succeed(id: string, name: string, started: number, result: unknown): OneAnswer {
    if (result instanceof JsonStream) {
      return new StreamedAnswer(id, result, (failure) => this.#close(name, started, failure))
    }
    const text = result instanceof RawJson ? result.text : (JSON.stringify(result) ?? 'null')
    if (text.length > this.#context.limits.responseBytes) {
      return this.#fail(id, name, started, tooLarge())
    }
    this.#context.observer.onAnswer(name, 0, performance.now() - started)
    return encodeSuccess(id, text)
  }

  #fail(id: string, name: string, started: number, thrown: unknown): string {
    return encodeFailure(id, this.#refuse(name, started, thrown))
  }

  /** A stream has ended, with an error or whole. */
  #close(name: string, started: number, failure: unknown): RpcError | undefined {
    if (failure !== undefined) return this.#refuse(name, started, failure)
    this.#context.observer.onAnswer(name, 0, performance.now() - started)
    return undefined
  }

  #refuse(name: string, started: number, thrown: unknown): RpcError {
    if (!(thrown instanceof LockstepError)) this.#context.observer.onDefect(name, thrown)
    const error = toRpcError(thrown)
    this.#context.observer.onAnswer(name, error.code, performance.now() - started)
    return error
  }
}

function tooLarge(): LockstepError {
  return new LockstepError('RESPONSE_TOO_LARGE', 'response too large')
}

/** Nobody waits for the answer. */
function discard(answer: OneAnswer): undefined {
  if (typeof answer !== 'string') answer.leave()
}

function notificationsUnsupported(): LockstepError {
  return new LockstepError('METHOD_NOT_FOUND', 'notifications not supported')
}
