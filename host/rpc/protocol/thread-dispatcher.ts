import type { ThreadContext } from '../call/context.ts'
import type { Method } from '../call/method.ts'
import type { Caller } from '../call/rpc-call.ts'
import { runBatch } from './batch.ts'
import { CallRunner } from './call-runner.ts'
import { type Answer, SHORT_BYTES } from './dispatcher.ts'
import { isNotification, type Message, type Parsed, parseBody } from './jsonrpc.ts'
import { MAX_DEPTH, RequestScan } from './request-scan.ts'
import { discard } from './streamed-answer.ts'

/** An answer that a serving thread gives by itself, now or later. */
export interface OwnAnswer {
  readonly answer: Answer | Promise<Answer>
}

/**
 * Answers on a serving thread what needs no more than is there: short requests all of whose calls are of its methods.
 * Every other one is the chain's thread's, with what is wrong about it.
 */
export class ThreadDispatcher {
  readonly #context: ThreadContext
  readonly #runner: CallRunner<ThreadContext>
  readonly #names: ReadonlySet<unknown>

  constructor(context: ThreadContext, methods: readonly Method<ThreadContext>[]) {
    this.#context = context
    this.#runner = new CallRunner(context, methods)
    this.#names = new Set(
      methods.map(({ name }) => name).filter((name) => !context.denied.has(name)),
    )
  }

  /** Undefined where the chain's thread is to answer. */
  answer(body: Uint8Array, caller: Caller): OwnAnswer | undefined {
    if (body.length > SHORT_BYTES) return undefined
    const parsed = this.#parse(body)
    switch (parsed?.kind) {
      case 'single':
        return this.#isOwn(parsed.message) ? this.#answerOne(parsed.message, caller) : undefined
      case 'batch': {
        const { messages } = parsed
        const { batchRequests } = this.#context.limits
        if (messages.length === 0 || messages.length > batchRequests) return undefined
        if (!messages.every((message) => this.#isOwn(message))) return undefined
        return { answer: runBatch(this.#runner, this.#context, messages, caller) }
      }
      default:
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
    return parseBody(body, scan)
  }

  #isOwn(message: Message): boolean {
    return this.#names.has(message.method)
  }

  #answerOne(message: Message, caller: Caller): OwnAnswer {
    const answer = this.#runner.call(message, caller)
    if (!isNotification(message)) return { answer }
    return { answer: answer instanceof Promise ? answer.then(discard) : discard(answer) }
  }
}
