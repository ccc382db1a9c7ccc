import { LockstepError } from '../../../base/error.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'
import { retryWhenFetched } from '../../../evm/state/missing-state.ts'
import { decodeParams } from '../argument/parameter.ts'
import type { RpcContext, WorkerContext } from '../call/context.ts'
import {
  clientMemoryExceeded,
  type JsonRpcErrorObject,
  methodNotFound,
  noDevChain,
  toRpcError,
} from '../call/error.ts'
import { ForwardToMain } from '../call/main-forward.ts'
import type { Method } from '../call/method.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import { type Caller, MethodCall } from '../call/rpc-call.ts'
import { encodeFailure, encodeId, encodeSuccess, isValidMessage, type Message } from './jsonrpc.ts'
import { type OneAnswer, StreamedAnswer, tooLarge } from './streamed-answer.ts'

/** Weight of the latest duration in the moving average of a method. */
const NEWEST_WEIGHT = 0.2

/**
 * A duration counts at most as this multiple of the average plus this many milliseconds. A single outlier reflects
 * other load on the machine, and would make calls of microseconds queue until it has decayed.
 */
const MOST_TIMES = 8
const MOST_MS = 0.5

/** A longer response is counted against the memory of its client. */
const SHORT_CHARACTERS = 8 * 1024

/** Cached, because the global `performance` is a getter that takes longer than reading the clock. */
const { performance: watch } = globalThis

/** A method with its runtime statistics. */
interface Known<Context extends WorkerContext> {
  readonly method: Method<Context>
  readonly isDenied: boolean
  /** Moving average in milliseconds of its handler's time until it first yields. */
  expectedMs: number
}

/** A call in progress. */
interface Answering {
  readonly id: string
  readonly name: string
  readonly started: number
  readonly call: MethodCall<WorkerContext>
}

/** Runs a call locally, or forwards it to another node. */
export type CallForwarder<Context extends WorkerContext> = (
  method: Method<Context>,
  args: readonly unknown[],
  given: unknown,
  here: () => unknown,
) => unknown

/** Runs method calls: finds the handler, decodes the arguments, and encodes the result or error. */
export class CallRunner<Context extends WorkerContext = RpcContext> {
  readonly #context: Context
  readonly #methods: ReadonlyMap<unknown, Known<Context>>
  readonly #pass: CallForwarder<Context> | undefined

  constructor(
    context: Context,
    methods: readonly Method<Context>[],
    pass?: CallForwarder<Context>,
  ) {
    this.#context = context
    this.#pass = pass
    const known = (method: Method<Context>): Known<Context> => {
      return { method, isDenied: context.denied.has(method.name), expectedMs: 0 }
    }
    this.#methods = new Map(methods.map((method) => [method.name, known(method)]))
  }

  /** Expected milliseconds until a call first yields. */
  expectedMs({ method }: Message): number {
    return this.#methods.get(method)?.expectedMs ?? 0
  }

  isSerialInBatch({ method }: Message): boolean {
    return this.#methods.get(method)?.method.isSerialInBatch === true
  }

  /**
   * Answers one message, synchronously if its handler does. @throws Elsewhere if this thread lacks what the call
   * needs
   */
  call(message: Message, caller: Caller): OneAnswer | Promise<OneAnswer> {
    if (!isValidMessage(message))
      return encodeFailure(encodeId(message), { code: -32600, message: 'invalid request' })
    const name = message.method as string
    const started = watch.now()
    const known = this.#methods.get(name)
    const call = new MethodCall(this.#context, caller)
    const answering: Answering = { id: encodeId(message), name, started, call }
    try {
      if (known === undefined || known.isDenied) throw methodNotFound(name)
      const { method } = known
      if (method.dev && this.#context.dev === undefined) throw noDevChain(name)
      if (!method.transports.includes(caller.transport)) throw notificationsUnsupported()
      const args = decodeParams(
        message.params,
        method.params,
        this.#context.dev !== undefined,
      ) as never[]
      const result = retryWhenFetched(() => {
        call.release()
        const here = () => method.run(call, ...args)
        if (this.#pass === undefined) return here()
        return this.#pass(method, args, message.params, here)
      })
      if (result instanceof Promise) return this.#settle(answering, method, result)
      return this.#succeed(answering, result)
    } catch (thrown) {
      if (thrown instanceof ForwardToMain) throw thrown
      return this.#fail(known === undefined ? { ...answering, name: 'unknown' } : answering, thrown)
    } finally {
      if (known !== undefined) learn(known, watch.now() - started)
    }
  }

  /** Resolves with the response when the handler settles or its time limit expires. */
  #settle(
    answering: Answering,
    { hasOwnTimeLimit }: Method<Context>,
    result: Promise<unknown>,
  ): Promise<OneAnswer> {
    return new Promise((resolve) => {
      let answered = false
      const finish = (answer: () => OneAnswer) => {
        if (answered) return
        answered = true
        stopTimer(timer)
        try {
          resolve(answer())
        } catch (thrown) {
          resolve(this.#fail(answering, thrown))
        }
      }
      const expire = () => {
        const error = new LockstepError('REQUEST_TIMEOUT', 'request timed out')
        finish(() => this.#fail(answering, error))
      }
      const { methodTimeoutMs } = this.#context.limits
      const timer = hasOwnTimeLimit ? undefined : startTimer(expire, methodTimeoutMs)
      result.then(
        (late) => finish(() => this.#succeed(answering, late)),
        (thrown) => finish(() => this.#fail(answering, thrown)),
      )
    })
  }

  #succeed(answering: Answering, result: unknown): OneAnswer {
    const { id, name, started, call } = answering
    if (result instanceof JsonStream) {
      return new StreamedAnswer(id, call, result, (failure) => this.#close(answering, failure))
    }
    const text = result instanceof RawJson ? result.text : (JSON.stringify(result) ?? 'null')
    if (text.length > this.#context.limits.responseBytes) return this.#fail(answering, tooLarge())
    call.release()
    if (text.length > SHORT_CHARACTERS && !call.caller.account.admits(text.length)) {
      return this.#fail(answering, clientMemoryExceeded(this.#context.work.maxHeldBytes))
    }
    this.#context.observer.onAnswer(name, 0, watch.now() - started)
    return encodeSuccess(id, text)
  }

  #fail({ id, name, started, call }: Answering, thrown: unknown): string {
    call.release()
    return encodeFailure(id, this.refuse(name, started, thrown, call.caller.signal))
  }

  /** Called when a stream has ended, completely or with an error. */
  #close({ name, started, call }: Answering, failure: unknown): JsonRpcErrorObject | undefined {
    call.release()
    if (failure !== undefined) return this.refuse(name, started, failure, call.caller.signal)
    this.#context.observer.onAnswer(name, 0, watch.now() - started)
    return undefined
  }

  /**
   * Reports an error and converts it for the caller. A method that stopped because its caller disconnected is no
   * defect.
   */
  refuse(name: string, started: number, thrown: unknown, caller?: AbortSignal): JsonRpcErrorObject {
    const hasGone = caller?.aborted === true && thrown === caller.reason
    if (!hasGone && !(thrown instanceof LockstepError)) {
      this.#context.observer.onDefect(name, thrown)
    }
    const error = toRpcError(thrown)
    this.#context.observer.onAnswer(name, error.code, watch.now() - started)
    return error
  }
}

function learn(known: { expectedMs: number }, milliseconds: number): void {
  const { expectedMs } = known
  const counted = Math.min(milliseconds, expectedMs * MOST_TIMES + MOST_MS)
  known.expectedMs = expectedMs + (counted - expectedMs) * NEWEST_WEIGHT
}

function notificationsUnsupported(): LockstepError {
  return new LockstepError('METHOD_NOT_FOUND', 'notifications not supported')
}
