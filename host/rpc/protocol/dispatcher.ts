import type { RpcContext } from '../call/context.ts'
import { heldTooMuch } from '../call/error.ts'
import type { Method } from '../call/method.ts'
import type { Caller } from '../call/rpc-call.ts'
import { passCall } from '../resolve/pass-call.ts'
import { runBatch } from './batch.ts'
import { CallRunner, type PassCall } from './call-runner.ts'
import {
  encodeFailure,
  encodeId,
  isNotification,
  isSound,
  type Message,
  type Parsed,
  parseBody,
} from './jsonrpc.ts'
import { MAX_DEPTH, RequestScan } from './request-scan.ts'
import { discard, type OneAnswer } from './streamed-answer.ts'

/** A request of at most this length may be read and answered at once. */
export const SHORT_BYTES: number = 8 * 1024
/** A call that is expected to take longer, in milliseconds, is not answered at once. */
export const SHORT_MS = 0.5
/** Milliseconds that reading a byte of a request takes, by which the time of a long request is expected. */
const MS_PER_BYTE = 4e-6

/** Memory of a request while it is worked on: copies of its text, and bytes of objects for each of its values. */
const TEXT_COPIES = 2
const BYTES_PER_VALUE = 64

/** The answer to a message or a batch: JSON text, JSON in pieces, or undefined where all are notifications. */
export type Answer = OneAnswer | undefined

function failure(id: string, code: number, message: string): string {
  return encodeFailure(id, { code, message })
}

/**
 * Answers JSON-RPC messages from the table of methods. A short call is answered at once; all others wait for the
 * client's turns, and let other clients have theirs.
 */
export class Dispatcher {
  readonly #context: RpcContext
  readonly #runner: CallRunner

  constructor(context: RpcContext, methods: readonly Method[]) {
    this.#context = context
    const pass: PassCall<RpcContext> = (method, args, given, here) =>
      passCall(context, method, args, given, here)
    this.#runner = new CallRunner(context, methods, context.forked === undefined ? undefined : pass)
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
      return encodeFailure('null', this.#runner.refuse('unknown', performance.now(), thrown))
    }
  }

  async #answerLater(body: Uint8Array, caller: Caller): Promise<Answer> {
    const { account } = caller
    let heldBytes = 0
    const hold = (bytes: number) => {
      if (!account.admits(bytes)) throw heldTooMuch(this.#context.work.maxHeldBytes)
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
      return encodeFailure('null', this.#runner.refuse('unknown', performance.now(), thrown))
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
        if (isShort && this.#runner.expectedMs(parsed.message) < SHORT_MS) {
          return this.#answerOne(parsed.message, caller)
        }
        return this.#answerInTurn(parsed.message, caller)
      case 'batch':
        return this.#answerBatch(parsed.messages, caller)
    }
  }

  #answerInTurn(message: Message, caller: Caller): Answer | Promise<Answer> {
    const turn = caller.account.turn(this.#runner.expectedMs(message))
    if (turn === undefined) return this.#answerOne(message, caller)
    return turn.then(() => this.#answerOne(message, caller))
  }

  #answerOne(message: Message, caller: Caller): Answer | Promise<Answer> {
    const answer = this.#runner.call(message, caller)
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
    return runBatch(this.#runner, this.#context, messages, caller)
  }
}
