import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError } from '../../../base/error.ts'
import type { WorkerContext } from '../call/context.ts'
import type { JsonRpcErrorObject } from '../call/error.ts'
import type { JsonStream } from '../call/result.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { encodeFailure, encodeSuccess } from './jsonrpc.ts'

/** Concatenated text is in memory twice: as pieces, and as a whole. */
const TEXT_COPIES = 2

/**
 * The response to a call with a streamed result. If the stream fails, its JSON is closed and a member `error` follows
 * it, which marks the result as incomplete. (Clients check `error` first.)
 */
export class StreamedAnswer implements AsyncIterable<BorrowedView> {
  readonly #id: string
  readonly #call: MethodCall<WorkerContext>
  readonly #result: JsonStream
  readonly #onEnd: (failure: unknown) => JsonRpcErrorObject | undefined

  /** @param onEnd called once with the outcome; releases the memory of the call and returns the error for the caller */
  constructor(
    id: string,
    call: MethodCall<WorkerContext>,
    result: JsonStream,
    onEnd: (failure: unknown) => JsonRpcErrorObject | undefined,
  ) {
    this.#id = id
    this.#call = call
    this.#result = result
    this.#onEnd = onEnd
  }

  /** Yields the pieces of the response. Throws if the result cannot be closed as valid JSON. */
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
   * Returns the response as one string; throws `refusal` if it exceeds `budget` bytes. The call reserves memory as
   * the string grows, because many may grow concurrently.
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
        this.#call.reserve(borrowed.length * TEXT_COPIES)
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

  /** Closes the result, because it will not be read further. */
  leave(): void {
    void this.#result.chunks.return()
  }
}

/** The response to one call: JSON text or streamed JSON. */
export type OneAnswer = string | StreamedAnswer

/** Drops an unwanted response. */
export function discard(answer: OneAnswer): undefined {
  if (typeof answer !== 'string') answer.leave()
}

/** Returns the error for a response that exceeds `evm.batch_response_max_size` and cannot be streamed. */
export function tooLarge(): LockstepError {
  return new LockstepError('RESPONSE_TOO_LARGE', 'response too large')
}
