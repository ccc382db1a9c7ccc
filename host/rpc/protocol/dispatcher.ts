import { LockstepError } from '../../base/error.ts'
import { decodeParams } from '../argument/parameter.ts'
import type { RpcContext } from '../call/context.ts'
import { heldTooMuch, methodNotFound, type RpcError, toRpcError } from '../call/error.ts'
import type { Method } from '../call/method.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import { type Caller, RpcCall } from '../call/rpc-call.ts'
import {
  encodeFailure,
  encodeId,
  encodeSuccess,
  isNotification,
  isSound,
  type Message,
  type Parsed,
  parseBody,
} from './jsonrpc.ts'
import { RequestScan } from './request-scan.ts'
import { StreamedAnswer } from './streamed-answer.ts'

/** Calls of one batch that run at a time: enough to share a sync to disk, few enough to be fair. */
const BATCH_CONCURRENCY = 32

/** Objects nested deeper are in no request: serde's limit, which the field's other nodes have. */
const MAX_DEPTH = 128

/** A request that is no longer may be read and answered at once. */
const SHORT_BYTES = 8 * 1024
/** Milliseconds that a call may be expected to take to be answered at once. */
const SHORT_MS = 0.5
/** Milliseconds that reading a byte of a request takes: what is expected of a long one. */
const MS_PER_BYTE = 4e-6

/** Bytes that a request takes while it is worked on, by its bytes and by its values: its text, and objects. */
const TEXT_COPIES = 2
const BYTES_PER_VALUE = 64

/** An answer in a batch, and the batch's answer that it becomes a part of. */
const ANSWER_COPIES = 2

/** Of a method's last times, what the newest counts. */
const NEWEST_WEIGHT = 0.2

/** What goes back: JSON text, JSON in pieces, or nothing (notifications only). */
export type Answer = OneAnswer | undefined

type OneAnswer = string | StreamedAnswer

function failure(id: string, code: number, message: string): string {
  return encodeFailure(id, { code, message })
}

/**
 * Answers JSON-RPC messages from the table of methods. What is short is answered at once; all else waits for the
 * client's turns, and lets others have theirs.
 */
export class Dispatcher {
  readonly #context: RpcContext
  readonly #methods: ReadonlyMap<string, Method>
  /** Milliseconds that a method's handler took of late before it first let others run. */
  readonly #expectedMs = new Map<string, number>()

  constructor(context: RpcContext, methods: readonly Method[]) {
    this.#context = context
    this.#methods = new Map(methods.map((method) => [method.name, method]))
  }

  /** A short call whose handler answers at once is answered at once: no promise is made. */
  answer(body: Uint8Array, caller: Caller): Answer | Promise<Answer> {
    if (body.length > SHORT_BYTES || !this.#context.work.hasTimeForShort) {
      return this.#answerLater(body, caller)
    }
    try {
      const scan = this.#scan(body)
      scan.step()
      return this.#answerParsed(parseBody(body, scan), caller, true)
    } catch (thrown) {
      return encodeFailure('null', this.#refuse('unknown', performance.now(), thrown))
    }
  }

  async #answerLater(body: Uint8Array, caller: Caller): Promise<Answer> {
    const { account } = caller
    let heldBytes = 0
    const hold = (bytes: number) => {
      if (!account.admits(bytes)) throw noRoom(this.#context)
      account.hold(bytes)
      heldBytes += bytes
    }
    try {
      const first = account.turn(body.length * MS_PER_BYTE)
      if (first !== undefined) await first
      if (caller.signal.aborted) return undefined
      const scan = this.#scan(body)
      while (!scan.step()) {
        const next = account.turn()
        if (next !== undefined) await next
      }
      hold(body.length * TEXT_COPIES + scan.values * BYTES_PER_VALUE)
      // Parsing cannot be stopped: it begins with a turn of its own.
      const parsing =
        body.length > SHORT_BYTES ? account.turn(body.length * MS_PER_BYTE) : undefined
      if (parsing !== undefined) await parsing
      return await this.#answerParsed(parseBody(body, scan), caller, false)
    } catch (thrown) {
      return encodeFailure('null', this.#refuse('unknown', performance.now(), thrown))
    } finally {
      account.hold(-heldBytes)
    }
  }

  #scan(body: Uint8Array): RequestScan {
    const { requestValues } = this.#context.limits
    return new RequestScan(body, { values: requestValues, depth: MAX_DEPTH })
  }

  #answerParsed(parsed: Parsed, caller: Caller, isShort: boolean): Answer | Promise<Answer> {
    switch (parsed.kind) {
      case 'malformed':
        return failure('null', -32700, 'parse error')
      case 'single':
        if (isShort && this.#expected(parsed.message) < SHORT_MS) {
          return this.#answerOne(parsed.message, caller)
        }
        return this.#answerInTurn(parsed.message, caller)
      case 'batch':
        return this.#answerBatch(parsed.messages, caller)
    }
  }

  #expected({ method }: Message): number {
    return this.#expectedMs.get(method as string) ?? 0
  }

  #answerInTurn(message: Message, caller: Caller): Answer | Promise<Answer> {
    const turn = caller.account.turn(this.#expected(message))
    if (turn === undefined) return this.#answerOne(message, caller)
    return turn.then(() => this.#answerOne(message, caller))
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
      return `[${failure(encodeId(first ?? {}), -32600, 'batch too large')}]`
    }
    return this.#runBatch(messages, caller)
  }

  async #runBatch(messages: readonly Message[], caller: Caller): Promise<Answer> {
    const { account } = caller
    const answers = new Array<string | undefined>(messages.length)
    let budget = this.#context.limits.responseBytes
    let heldBytes = 0
    let next = 0
    const run = async (message: Message): Promise<string | undefined> => {
      const isSilent = isNotification(message)
      const refused = isSilent
        ? undefined
        : failure(encodeId(message), -32003, 'response too large')
      const turn = account.turn()
      if (turn !== undefined) await turn
      if (budget < 0 || caller.signal.aborted) return refused
      const one = await this.#call(message, caller)
      if (isSilent && typeof one !== 'string') return discard(one)
      const answer = typeof one === 'string' ? one : await one.text(budget, tooLarge())
      // An answer that nobody gets has cost as much to make.
      budget -= answer.length
      if (isSilent || budget < 0) return refused
      const bytes = answer.length * ANSWER_COPIES
      if (!account.admits(bytes)) return this.#failLimit(message)
      account.hold(bytes)
      heldBytes += bytes
      return answer
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
    try {
      const workers = Math.min(BATCH_CONCURRENCY, messages.length)
      await Promise.all(Array.from({ length: workers }, worker))
      const present = answers.filter((answer) => answer !== undefined)
      return present.length === 0 ? undefined : `[${present.join(',')}]`
    } finally {
      account.hold(-heldBytes)
    }
  }

  #failLimit(message: Message): string {
    return encodeFailure(encodeId(message), toRpcError(noRoom(this.#context)))
  }

  #hasDeadline({ method }: Message): boolean {
    return typeof method === 'string' && this.#methods.get(method)?.hasDeadline === true
  }

  #call(message: Message, caller: Caller): OneAnswer | Promise<OneAnswer> {
    if (!isSound(message)) return failure(encodeId(message), -32600, 'invalid request')
    const name = message.method as string
    const started = performance.now()
    const method = this.#methods.get(name)
    const call = new RpcCall(this.#context, caller)
    const answering: Answering = { id: encodeId(message), name, started, call }
    try {
      if (method === undefined || this.#context.denied.has(name)) throw methodNotFound(name)
      if (!method.transports.includes(caller.transport)) throw notificationsUnsupported()
      const args = decodeParams(message.params, method.params) as never[]
      const result = method.run(call, ...args)
      if (result instanceof Promise) return this.#settle(answering, method, result)
      return this.#succeed(answering, result)
    } catch (thrown) {
      return this.#fail(
        method === undefined ? { ...answering, name: 'unknown' } : answering,
        thrown,
      )
    } finally {
      if (method !== undefined) this.#learn(name, performance.now() - started)
    }
  }

  #learn(name: string, milliseconds: number): void {
    const known = this.#expectedMs.get(name) ?? 0
    this.#expectedMs.set(name, known + (milliseconds - known) * NEWEST_WEIGHT)
  }

  /** The answer when the handler is done or, if that is earlier, when its time is up. */
  #settle(
    answering: Answering,
    { hasDeadline }: Method,
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
          resolve(this.#fail(answering, thrown))
        }
      }
      const expire = () => {
        const error = new LockstepError('REQUEST_TIMEOUT', 'request timed out')
        finish(() => this.#fail(answering, error))
      }
      const { methodTimeoutMs } = this.#context.limits
      const timer = hasDeadline ? undefined : setTimeout(expire, methodTimeoutMs)
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
    if (text.length > SHORT_BYTES && !call.caller.account.admits(text.length)) {
      return this.#fail(answering, noRoom(this.#context))
    }
    this.#context.observer.onAnswer(name, 0, performance.now() - started)
    return encodeSuccess(id, text)
  }

  #fail({ id, name, started, call }: Answering, thrown: unknown): string {
    call.release()
    return encodeFailure(id, this.#refuse(name, started, thrown))
  }

  /** A stream has ended, with an error or whole. */
  #close({ name, started, call }: Answering, failure: unknown): RpcError | undefined {
    call.release()
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

/** A call on its way to its answer. */
interface Answering {
  readonly id: string
  readonly name: string
  readonly started: number
  readonly call: RpcCall
}

/** The memory for clients is in use. */
function noRoom({ work }: RpcContext): LockstepError {
  return heldTooMuch(work.maxHeldBytes)
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
