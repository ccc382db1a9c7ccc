import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError } from '../../../base/error.ts'
import type { ThreadContext } from '../call/context.ts'
import type { RpcError } from '../call/error.ts'
import type { JsonStream } from '../call/result.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { encodeFailure, encodeSuccess } from './jsonrpc.ts'

/** A text that is put together is in memory twice: as its pieces, and as one. */
const TEXT_COPIES = 2

/**
 * The answer to a call whose result is streamed. A result that broke off has been closed; `error` beside
 * it says that it is not whole. (Clients look at `error` first.)
 */
export class StreamedAnswer implements AsyncIterable<BorrowedView> {
  readonly #id: string
  readonly #call: RpcCall<ThreadContext>
  readonly #result: JsonStream
  readonly #onEnd: (failure: unknown) => RpcError | undefined

  /** `onEnd` hears once how it ended, gives up what the call holds, and gives the error as callers see it. */
  constructor(
    id: string,
    call: RpcCall<ThreadContext>,
    result: JsonStream,
    onEnd: (failure: unknown) => RpcError | undefined,
  ) {
    this.#id = id
    this.#call = call
    this.#result = result
    this.#onEnd = onEnd
  }

  /** The pieces of the answer. Throws where the result ends in the middle. */
  async *[Symbol.asyncIterator](): AsyncGenerator<BorrowedView> {
    yield { borrowed: Buffer.from(`{"jsonrpc":"2.0","id":${this.#id},"result":`) }
    let failure: unknown
    try {
      failure = yield* this.#result.chunks
    } catch (thrown) {
      this.#onEnd(thrown)
      throw thrown
    }
    const error = this.#onEnd(failure)
    const end = error === undefined ? '}' : `,"error":${JSON.stringify(error)}}`
    yield { borrowed: Buffer.from(end) }
  }

  /**
   * The answer as one text, for where it must be whole; `refusal` where it has more bytes than `budget`. The call
   * holds what has come of it: many texts may grow at a time.
   */
  async text(budget: number, refusal: LockstepError): Promise<string> {
    const parts: Uint8Array[] = []
    let size = 0
    let failure: unknown
    try {
      const { chunks } = this.#result
      while (true) {
        const step = await chunks.next()
        if (step.done === true) {
          failure = step.value
          break
        }
        const { borrowed } = step.value
        size += borrowed.length
        if (size > budget) throw refusal
        this.#call.hold(borrowed.length * TEXT_COPIES)
        parts.push(new Uint8Array(borrowed))
      }
    } catch (thrown) {
      this.leave()
      failure = thrown
    }
    const error = this.#onEnd(failure)
    if (error !== undefined) return encodeFailure(this.#id, error)
    return encodeSuccess(this.#id, Buffer.concat(parts).toString())
  }

  /** Ends the result, which nobody reads any more. */
  leave(): void {
    void this.#result.chunks.return()
  }
}

/** The answer to one call: JSON text, or JSON in pieces. */
export type OneAnswer = string | StreamedAnswer

/** Drops an answer that nobody waits for. */
export function discard(answer: OneAnswer): undefined {
  if (typeof answer !== 'string') answer.leave()
}

/** The error for an answer that is longer than `evm.batch_response_max_size` and cannot be streamed. */
export function tooLarge(): LockstepError {
  return new LockstepError('RESPONSE_TOO_LARGE', 'response too large')
}
