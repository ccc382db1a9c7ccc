import { once } from 'node:events'
import type { Socket } from 'node:net'
import { LockstepError, messageOf } from '../../../base/error.ts'
import type { Mutex } from '../../../base/mutex.ts'
import { timeoutSignal } from '../../../base/timer.ts'
import type { AbciApplication } from './abci-application.ts'
import { dispatch, isRead } from './dispatch.ts'
import { AbciFrameReader } from './frame-reader.ts'
import type { AbciRequest } from './request.ts'
import { decodeRequest } from './request-codec.ts'
import { encodeException } from './response-codec.ts'
import { type ResponsePlace, ResponseQueue } from './response-queue.ts'

export interface AbciConnectionOptions {
  readonly socket: Socket
  /** Size limit of a message, in bytes. */
  readonly maxFrame: number
  readonly application: () => AbciApplication
  /** Serialises state-changing calls of all connections. */
  readonly changes: Mutex
  /** Resolves after the running calls of all closed connections have ended. */
  readonly untilLostEnd: () => Promise<void>
  readonly onFailure: (error: LockstepError, method: string) => void
}

/** A received call and the place of its response in the queue. */
interface Call {
  readonly request: AbciRequest
  /** Length of the encoded request. */
  readonly bytes: number
  readonly place: ResponsePlace
}

/** Running and waiting calls per connection, and their bytes, at which the connection stops reading. */
const MAX_CALLS = 4096
const MAX_CALL_BYTES = 32 * 1024 * 1024

/** Time for CometBFT to read the last responses of a closing connection. */
const LAST_ANSWERS_MS = 1_000

/** Unread response bytes at which the connection stops reading. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024

/**
 * One connection of CometBFT. A state-changing call runs alone: it waits for the calls before it, and later calls
 * wait for it. Other calls, mostly `checkTx`, run concurrently. Responses keep the order of the requests.
 *
 * An unreadable request or a failed call is answered with `Exception`, and the connection closes.
 */
export class AbciConnection {
  readonly #options: AbciConnectionOptions
  readonly #frames: AbciFrameReader
  readonly #answers: ResponseQueue
  /** Calls that have not started yet. */
  #waiting: Call[] = []
  #reads = 0
  #isChanging = false
  #bytes = 0
  #isEnding = false
  #onIdle: (() => void)[] = []

  constructor(options: AbciConnectionOptions) {
    const { socket, maxFrame } = options
    this.#options = options
    this.#frames = new AbciFrameReader(maxFrame)
    this.#answers = new ResponseQueue(socket)
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('drain', () => this.#flow())
    // Without a reader, calls that have not started never do.
    socket.on('close', () => this.#dropWaiting())
  }

  /** Starts no more calls, answers the running ones, and closes the connection. */
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
      // Give up on a peer that stopped reading.
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

  /** Starts the waiting calls that are free to run. */
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
    const { application, changes, untilLostEnd } = this.#options
    const isChange = !isRead(request)
    if (isChange) this.#isChanging = true
    else this.#reads++
    const work = async () => {
      // A killed CometBFT may have requested a commit: report the height after it to the next one.
      if (request.method === 'info') await untilLostEnd()
      return dispatch(application(), request)
    }
    try {
      place.answer(await (isChange ? changes.runExclusive(work) : work()))
    } catch (error) {
      this.#fail(place, error, request.method)
      this.#dropWaiting()
    }
    if (isChange) this.#isChanging = false
    else this.#reads--
    this.#bytes -= bytes
    this.#begin()
    this.#flow()
    if (this.#inWork > 0) return
    for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  #fail(place: ResponsePlace, thrown: unknown, method: string): void {
    const error =
      thrown instanceof LockstepError
        ? thrown
        : new LockstepError('CONSENSUS_FAILURE', messageOf(thrown), { cause: thrown })
    this.#options.onFailure(error, method)
    place.answerLast(encodeException(error.message))
  }

  /** Accepts no more calls and drops the waiting ones. */
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
