import { LockstepError } from '../../../base/error.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'
import { onceHere } from '../../../evm/state/absent-part.ts'
import { decodeParams } from '../argument/parameter.ts'
import type { RpcContext, ThreadContext } from '../call/context.ts'
import { Elsewhere } from '../call/elsewhere.ts'
import {
  heldTooMuch,
  methodNotFound,
  noDevChain,
  type RpcError,
  toRpcError,
} from '../call/error.ts'
import type { Method } from '../call/method.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import { type Caller, RpcCall } from '../call/rpc-call.ts'
import { encodeFailure, encodeId, encodeSuccess, isSound, type Message } from './jsonrpc.ts'
import { type OneAnswer, StreamedAnswer, tooLarge } from './streamed-answer.ts'

/** Weight of the newest time in what a method is expected to take. */
const NEWEST_WEIGHT = 0.2

/**
 * A time counts as so many times the expected one and as many milliseconds more at most. One that is longer once tells of the
 * machine, which ran others meanwhile: calls of microseconds would wait for turns until it is forgotten.
 */
const MOST_TIMES = 8
const MOST_MS = 0.5

/** An answer with more characters is counted among the bytes held for its client. */
const SHORT_CHARACTERS = 8 * 1024

/** The clock of calls, held here: the global is a getter, which takes longer than the clock does. */
const { performance: watch } = globalThis

/** A method with what is known of it. */
interface Known<Context extends ThreadContext> {
  readonly method: Method<Context>
  readonly isDenied: boolean
  /** Milliseconds that its handler took of late before it first let others run. */
  expectedMs: number
}

/** A call on its way to its answer. */
interface Answering {
  readonly id: string
  readonly name: string
  readonly started: number
  readonly call: RpcCall<ThreadContext>
}

/** Runs a call here, or has another node answer it. */
export type PassCall<Context extends ThreadContext> = (
  method: Method<Context>,
  args: readonly unknown[],
  given: unknown,
  here: () => unknown,
) => unknown

/** Runs calls of methods: finds the handler, decodes the arguments, and makes an answer of the result or the error. */
export class CallRunner<Context extends ThreadContext = RpcContext> {
  readonly #context: Context
  readonly #methods: ReadonlyMap<unknown, Known<Context>>
  readonly #pass: PassCall<Context> | undefined

  constructor(context: Context, methods: readonly Method<Context>[], pass?: PassCall<Context>) {
    this.#context = context
    this.#pass = pass
    const known = (method: Method<Context>): Known<Context> => {
      return { method, isDenied: context.denied.has(method.name), expectedMs: 0 }
    }
    this.#methods = new Map(methods.map((method) => [method.name, known(method)]))
  }

  /** Milliseconds that a call is expected to take before it first lets others run. */
  expectedMs({ method }: Message): number {
    return this.#methods.get(method)?.expectedMs ?? 0
  }

  isSerialInBatch({ method }: Message): boolean {
    return this.#methods.get(method)?.method.isSerialInBatch === true
  }

  /** Answers one message, at once where its handler does. @throws Elsewhere where this thread lacks what it needs */
  call(message: Message, caller: Caller): OneAnswer | Promise<OneAnswer> {
    if (!isSound(message))
      return encodeFailure(encodeId(message), { code: -32600, message: 'invalid request' })
    const name = message.method as string
    const started = watch.now()
    const known = this.#methods.get(name)
    const call = new RpcCall(this.#context, caller)
    const answering: Answering = { id: encodeId(message), name, started, call }
    try {
      if (known === undefined || known.isDenied) throw methodNotFound(name)
      const { method } = known
      if (method.dev && this.#context.dev === undefined) throw noDevChain(name)
      if (!method.transports.includes(caller.transport)) throw notificationsUnsupported()
      const args = decodeParams(message.params, method.params) as never[]
      const result = onceHere(() => {
        call.release()
        const here = () => method.run(call, ...args)
        if (this.#pass === undefined) return here()
        return this.#pass(method, args, message.params, here)
      })
      if (result instanceof Promise) return this.#settle(answering, method, result)
      return this.#succeed(answering, result)
    } catch (thrown) {
      if (thrown instanceof Elsewhere) throw thrown
      return this.#fail(known === undefined ? { ...answering, name: 'unknown' } : answering, thrown)
    } finally {
      if (known !== undefined) learn(known, watch.now() - started)
    }
  }

  /** The answer when the handler is done or, if that is earlier, when its time is up. */
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
      return this.#fail(answering, heldTooMuch(this.#context.work.maxHeldBytes))
    }
    this.#context.observer.onAnswer(name, 0, watch.now() - started)
    return encodeSuccess(id, text)
  }

  #fail({ id, name, started, call }: Answering, thrown: unknown): string {
    call.release()
    return encodeFailure(id, this.refuse(name, started, thrown, call.caller.signal))
  }

  /** A stream has ended, with an error or whole. */
  #close({ name, started, call }: Answering, failure: unknown): RpcError | undefined {
    call.release()
    if (failure !== undefined) return this.refuse(name, started, failure, call.caller.signal)
    this.#context.observer.onAnswer(name, 0, watch.now() - started)
    return undefined
  }

  /** Reports an error and gives it as callers see it; a method that ended because its caller has gone is no defect. */
  refuse(name: string, started: number, thrown: unknown, caller?: AbortSignal): RpcError {
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
