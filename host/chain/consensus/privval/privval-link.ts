import { LockstepError } from '../../../base/error.ts'
import { startTimer } from '../../../base/timer.ts'
import type { ByteStream } from './byte-stream.ts'
import { delimit, readDelimited } from './delimited.ts'
import type { PrivvalMessage } from './message.ts'
import { decodePrivval, encodePrivval } from './message-codec.ts'

/** Size limit of a message, as CometBFT has it. */
const MAX_MESSAGE_BYTES = 10 * 1024

/** Milliseconds in which a peer must answer, as in CometBFT. */
export const ANSWER_TIMEOUT_MS = 5_000

/** Sends and receives messages over one connection between a node and its signer. */
export class PrivvalLink {
  readonly #stream: ByteStream

  constructor(stream: ByteStream) {
    this.#stream = stream
  }

  send(message: PrivvalMessage): void {
    this.#stream.write(delimit(encodePrivval(message)))
  }

  /** @throws PEER_INVALID if the connection ends, or the message is invalid */
  async receive(): Promise<PrivvalMessage> {
    return decodePrivval(await readDelimited(this.#stream, MAX_MESSAGE_BYTES))
  }

  /**
   * Sends a request and returns the response. A connection without a response in time is closed.
   * @throws PEER_INVALID, REQUEST_TIMEOUT
   */
  async ask(request: PrivvalMessage, timeoutMs = ANSWER_TIMEOUT_MS): Promise<PrivvalMessage> {
    return within(timeoutMs, this.#stream, () => {
      this.send(request)
      return this.receive()
    })
  }

  close(): void {
    this.#stream.close()
  }
}

/**
 * Runs a step of a protocol. If it takes too long, closes the stream.
 * @throws REQUEST_TIMEOUT
 */
export async function within<Result>(
  timeoutMs: number,
  stream: ByteStream,
  step: () => Promise<Result>,
): Promise<Result> {
  let isLate = false
  const timer = startTimer(() => {
    isLate = true
    stream.close()
  }, timeoutMs)
  try {
    return await step()
  } catch (thrown) {
    if (!isLate) throw thrown
    throw new LockstepError('REQUEST_TIMEOUT', `the peer did not answer within ${timeoutMs} ms`)
  } finally {
    timer.stop()
  }
}
