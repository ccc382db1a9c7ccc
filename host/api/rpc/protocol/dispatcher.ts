import type { RpcContext } from '../call/context.ts'
import type { Method } from '../call/method.ts'
import type { Caller } from '../call/rpc-call.ts'
import { forwardCall } from '../resolve/forward-call.ts'
import { runBatch } from './batch.ts'
import { type CallForwarder, CallRunner } from './call-runner.ts'
import {
  encodeFailure,
  encodeId,
  isNotification,
  isValidMessage,
  type Message,
  type Parsed,
  parseRpcBody,
} from './jsonrpc.ts'
import { type ParsedRequest, parseYielding, SHORT_BYTES, yieldToParse } from './long-request.ts'
import { MAX_DEPTH, RequestScan } from './request-scan.ts'
import { discard, type OneAnswer } from './streamed-answer.ts'

/** Calls with a longer expected duration in milliseconds are queued. */
export const SHORT_MS = 0.5
/** The response to a message or a batch: JSON text, streamed JSON, or undefined if all are notifications. */
export type DispatchedAnswer = OneAnswer | undefined

function failure(id: string, code: number, message: string): string {
  return encodeFailure(id, { code, message })
}

/**
 * Answers JSON-RPC messages from the method table. Short calls run at once; all others are scheduled fairly among
 * clients.
 */
export class Dispatcher {
  readonly #context: RpcContext
  readonly #runner: CallRunner

  constructor(context: RpcContext, methods: readonly Method[]) {
    this.#context = context
    const pass: CallForwarder<RpcContext> = (method, args, given, here) =>
      forwardCall(context, method, args, given, here)
    this.#runner = new CallRunner(context, methods, context.forked === undefined ? undefined : pass)
  }

  /** Returns the response to a short call synchronously if its handler does, without creating a promise. */
  answer(body: Uint8Array, caller: Caller): DispatchedAnswer | Promise<DispatchedAnswer> {
    if (body.length > SHORT_BYTES || !this.#context.work.hasTimeForShort) {
      return this.#answerLater(body, caller)
    }
    try {
      const scan = this.#scan(body)
      scan.step()
      return this.#answerParsed(parseRpcBody(body, scan), caller, true)
    } catch (thrown) {
      return encodeFailure('null', this.#runner.refuse('unknown', performance.now(), thrown))
    }
  }

  async #answerLater(body: Uint8Array, caller: Caller): Promise<DispatchedAnswer> {
    let request: ParsedRequest | undefined
    try {
      if (!(await yieldToParse(body, caller))) return undefined
      request = await parseYielding(body, caller, this.#context)
      return await this.#answerParsed(request.parsed, caller, false)
    } catch (thrown) {
      return encodeFailure('null', this.#runner.refuse('unknown', performance.now(), thrown))
    } finally {
      request?.release()
    }
  }

  #scan(body: Uint8Array): RequestScan {
    const { requestValues } = this.#context.limits
    return new RequestScan(body, { values: requestValues, depth: MAX_DEPTH })
  }

  #answerParsed(
    parsed: Parsed,
    caller: Caller,
    isShort: boolean,
  ): DispatchedAnswer | Promise<DispatchedAnswer> {
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

  #answerInTurn(message: Message, caller: Caller): DispatchedAnswer | Promise<DispatchedAnswer> {
    const turn = caller.account.yield(this.#runner.expectedMs(message))
    if (turn === undefined) return this.#answerOne(message, caller)
    return turn.then(() => this.#answerOne(message, caller))
  }

  #answerOne(message: Message, caller: Caller): DispatchedAnswer | Promise<DispatchedAnswer> {
    const answer = this.#runner.call(message, caller)
    if (!isNotification(message)) return answer
    return answer instanceof Promise ? answer.then(discard) : discard(answer)
  }

  #answerBatch(
    messages: readonly Message[],
    caller: Caller,
  ): DispatchedAnswer | Promise<DispatchedAnswer> {
    const { limits } = this.#context
    if (messages.length === 0) return failure('null', -32600, 'empty batch')
    if (messages.length > limits.batchRequests) {
      const first = messages.find((message) => isValidMessage(message) && message.id !== undefined)
      return `[${failure(encodeId(first ?? {}), -32600, 'batch too large')}]`
    }
    return runBatch(this.#runner, this.#context, messages, caller)
  }
}
