import { once } from 'node:events'
import type { Socket } from 'node:net'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { timeoutSignal } from '../../../base/timer.ts'
import type { AbciApplication } from './abci-application.ts'
import { AnswerQueue, type Place } from './answer-queue.ts'
import { dispatch, isRead } from './dispatch.ts'
import { FrameReader } from './frame-reader.ts'
import type { AbciRequest } from './request.ts'
import { decodeRequest } from './request-codec.ts'
import { encodeException } from './response-codec.ts'

export interface ConnectionOptions {
  readonly socket: Socket
  /** Bytes of a message, at most. */
  readonly maxFrame: number
  readonly application: () => AbciApplication
  /** Runs calls that change something one after another, those of all connections. */
  readonly inOrder: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Resolves when no call of a connection that is gone is in work any more. */
  readonly untilLostEnd: () => Promise<void>
  readonly onFailure: (error: LockstepError, method: string) => void
}

/** A call that has come, and where its answer stands. */
interface Call {
  readonly request: AbciRequest
  /** Of its message. */
  readonly bytes: number
  readonly place: Place
}

/** Calls that a connection may have in work and waiting, and their bytes, before no more of it is read. */
const MAX_CALLS = 4096
const MAX_CALL_BYTES = 32 * 1024 * 1024

/** How long the other side may take for the last answers of a connection that closes. */
const LAST_ANSWERS_MS = 1_000

/** Bytes of answers that the other side has not read, before no more of it is read. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024

/**
 * One connection of CometBFT. A call that changes something waits for those before it, and those after it wait for it;
 * others, of which the checks of transactions are most, run beside one another. Answers keep the order of the calls.
 *
 * What cannot be read, and a call that fails, is answered by `Exception` and the end of the connection.
 */
export class AbciConnection {
  readonly #options: ConnectionOptions
  readonly #frames: FrameReader
  readonly #answers: AnswerQueue
  /** Calls that wait for those in work. */
  #waiting: Call[] = []
  #reads = 0
  #isChanging = false
  #bytes = 0
  #isEnding = false
  #onIdle: (() => void)[] = []

  constructor(options: ConnectionOptions) {
    const { socket, maxFrame } = options
    this.#options = options
    this.#frames = new FrameReader(maxFrame)
    this.#answers = new AnswerQueue(socket)
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('drain', () => this.#flow())
    // Nobody waits for the answers any more: calls that have not begun never do.
    socket.on('close', () => this.#dropWaiting())
  }

  /** Begins no more calls, answers those in work, and ends the connection. */
  async close(): Promise<void> {
    const { socket } = this.#options
    this.#dropWaiting()
    this.#answers.end()
    if (this.#inWork > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle.push(resolve)
      })
    }
    if (!socket.writableFinished && !socket.destroyed) {
      // What the other side does not read it never will.
      await once(socket, 'finish', { signal: timeoutSignal(LAST_ANSWERS_MS) }).catch(() => {})
    }
    socket.destroy()
  }

  get #inWork(): number {
    return this.#reads + (this.#isChanging ? 1 : 0)
  }

  #read(chunk: Uint8Array): void {
    if (this.#isEnding) return
    try {
      for (const message of this.#frames.push(chunk)) {
        const request = decodeRequest(message)
        this.#bytes += message.length
        this.#waiting.push({ request, bytes: message.length, place: this.#answers.reserve() })
      }
    } catch (error) {
      this.#isEnding = true
      this.#fail(this.#answers.reserve(), error, 'request')
    }
    this.#begin()
    this.#flow()
  }

  /** Begins the calls that need not wait any more. */
  #begin(): void {
    let taken = 0
    for (const call of this.#waiting) {
      const mayBegin = isRead(call.request) ? !this.#isChanging : this.#inWork === 0
      if (!mayBegin) break
      taken++
      this.#run(call)
    }
    if (taken > 0) this.#waiting = this.#waiting.slice(taken)
  }

  async #run({ request, bytes, place }: Call): Promise<void> {
    const { application, inOrder, untilLostEnd } = this.#options
    const changes = !isRead(request)
    if (changes) this.#isChanging = true
    else this.#reads++
    const work = async () => {
      // A CometBFT that was killed may have asked for a commit: the next one is told of the height after it.
      if (request.method === 'info') await untilLostEnd()
      return dispatch(application(), request)
    }
    try {
      place.answer(await (changes ? inOrder(work) : work()))
    } catch (error) {
      this.#fail(place, error, request.method)
      this.#dropWaiting()
    }
    if (changes) this.#isChanging = false
    else this.#reads--
    this.#bytes -= bytes
    this.#begin()
    this.#flow()
    if (this.#inWork > 0) return
    for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  #fail(place: Place, thrown: unknown, method: string): void {
    const error =
      thrown instanceof LockstepError
        ? thrown
        : new LockstepError('CONSENSUS_FAILURE', messageOf(thrown), { cause: thrown })
    this.#options.onFailure(error, method)
    place.answerLast(encodeException(error.message))
  }

  /** Takes no more calls, and begins none that waits. */
  #dropWaiting(): void {
    this.#isEnding = true
    this.#waiting[0]?.place.drop()
    this.#waiting = []
  }

  #flow(): void {
    const { socket } = this.#options
    const isFull =
      this.#waiting.length + this.#inWork >= MAX_CALLS ||
      this.#bytes >= MAX_CALL_BYTES ||
      socket.writableLength >= MAX_UNREAD_BYTES
    if (isFull) socket.pause()
    else if (socket.isPaused()) socket.resume()
  }
}
