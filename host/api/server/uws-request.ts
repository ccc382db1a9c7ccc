import type * as Uws from 'uWebSockets.js'
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { stopTimer, type Timer } from '../../base/timer.ts'
import { HeaderList } from './header-list.ts'
import { CHUNKS_UNREAD, LENGTH_REQUIRED, LENGTHS_DIFFER, REQUEST_MALFORMED } from './refusal.ts'
import type { RequestBody } from './request-body.ts'
import type { HttpRequest, HttpResponse } from './server.ts'
import type { ClientAccount, WorkScheduler } from './work-scheduler.ts'

const USUAL_METHODS: ReadonlySet<string> = new Set(['POST', 'GET', 'HEAD', 'OPTIONS'])
/** RFC 9110, 5.6.2 */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** One request in progress. What costs a microsecond to make is made when it is asked for. */
export class UwsRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers = new HeaderList()
  readonly response: Uws.HttpResponse
  body: Uint8Array = EMPTY_BYTES
  /** The client went away: `response` must not be touched again. */
  aborted = false
  /** An answer was begun: what still arrives of the body is dropped. */
  answered = false
  /** The body where it comes in pieces, and the timer of the next one. */
  pieces: RequestBody | undefined
  idle: Timer | undefined
  /** The answer to a request behind which the library would lose its place: it must be the last of its connection. */
  readonly refusal: HttpResponse | undefined
  /** Bytes of the answer that are counted until it has left. */
  heldBytes = 0
  /** Called once when the socket drains, or when the client goes away. */
  wake: (() => void) | undefined
  readonly #work: WorkScheduler
  #account: ClientAccount | undefined
  #remoteAddress: string | undefined
  #controller: AbortController | undefined
  #isFinished = false

  constructor(response: Uws.HttpResponse, request: Uws.HttpRequest, work: WorkScheduler) {
    this.response = response
    this.#work = work
    this.method = request.getCaseSensitiveMethod()
    this.path = request.getUrl()
    // Undefined, against its type, where there is no question mark.
    this.query = request.getQuery() ?? ''
    let refusal: HttpResponse | undefined
    request.forEach((name, value) => {
      if (name === 'content-length') {
        // The library takes the first of several, and an empty one for none (RFC 9112, 6.3).
        const before = this.headers.get(name)
        if (before === undefined) this.headers.add(name, value)
        if (value === '' || (before !== undefined && before !== value)) refusal = LENGTHS_DIFFER
        return
      }
      // The library loses its place behind extensions, trailers and wrong ends of chunks (RFC 9112, 7.1).
      if (name === 'transfer-encoding') refusal = CHUNKS_UNREAD
      this.headers.add(name, value)
    })
    // The library hides all fields behind one without a name, and so the length of a body (RFC 9112, 6.3).
    if (this.method === 'POST' && !this.headers.has('content-length')) refusal ??= LENGTH_REQUIRED
    // The library takes whatever stands before the first space.
    if (!USUAL_METHODS.has(this.method) && !TOKEN.test(this.method)) refusal = REQUEST_MALFORMED
    this.refusal = refusal
  }

  get account(): ClientAccount {
    this.#account ??= this.#work.account(this.remoteAddress)
    return this.#account
  }

  get remoteAddress(): string {
    if (this.#remoteAddress === undefined && !this.aborted) {
      this.#remoteAddress = Buffer.from(this.response.getRemoteAddressAsText()).toString()
    }
    return this.#remoteAddress ?? ''
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /** Counts bytes of the answer until it has left. */
  hold(bytes: number): void {
    this.account.hold(bytes)
    this.heldBytes += bytes
  }

  /** Gives up what is held. Later calls change nothing. @returns whether this was the first */
  finish(): boolean {
    if (this.heldBytes > 0) this.account.hold(-this.heldBytes)
    this.heldBytes = 0
    this.pieces?.release()
    stopTimer(this.idle)
    const isFirst = !this.#isFinished
    this.#isFinished = true
    return isFirst
  }

  abort(): void {
    this.aborted = true
    this.#controller?.abort()
    this.resume()
  }

  resume(): void {
    const wake = this.wake
    this.wake = undefined
    wake?.()
  }
}
