import type * as Uws from 'uWebSockets.js'
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { stopTimer, type Timer } from '../../base/timer.ts'
import { HeaderList } from './header-list.ts'
import { CHUNKS_UNREAD, LENGTH_REQUIRED, LENGTHS_DIFFER, REQUEST_MALFORMED } from './refusal.ts'
import type { RequestBody } from './request-body.ts'
import type { HttpRequest, HttpResponse } from './server.ts'
import type { ClientQuota, WorkScheduler } from './work-scheduler.ts'

const USUAL_METHODS: ReadonlySet<string> = new Set(['POST', 'GET', 'HEAD', 'OPTIONS'])
/** RFC 9110, 5.6.2 */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** A pending request. Fields that take a microsecond to create are created on demand. */
export class UwsRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers = new HeaderList()
  readonly response: Uws.HttpResponse
  body: Uint8Array = EMPTY_BYTES
  /** Set when the client has disconnected: `response` must not be used after that. */
  aborted = false
  /** Set when a response has begun: the rest of the body is discarded. */
  answered = false
  /** The body if it arrives in pieces, and the timeout of the next piece. */
  pieces: RequestBody | undefined
  idle: Timer | undefined
  /** The response to a request after which the library would misparse the connection, which must therefore close. */
  readonly refusal: HttpResponse | undefined
  /** Bytes reserved for the response until it is sent. */
  heldBytes = 0
  /** Called once when the socket drains or the client disconnects. */
  wake: (() => void) | undefined
  readonly #work: WorkScheduler
  #account: ClientQuota | undefined
  #remoteAddress: string | undefined
  #controller: AbortController | undefined
  #isFinished = false

  constructor(response: Uws.HttpResponse, request: Uws.HttpRequest, work: WorkScheduler) {
    this.response = response
    this.#work = work
    this.method = request.getCaseSensitiveMethod()
    this.path = request.getUrl()
    // Undefined, contrary to its type, if there is no question mark.
    this.query = request.getQuery() ?? ''
    let refusal: HttpResponse | undefined
    request.forEach((name, value) => {
      if (name === 'content-length') {
        // The library uses the first of several, and treats an empty one as absent (RFC 9112, 6.3).
        const before = this.headers.get(name)
        if (before === undefined) this.headers.add(name, value)
        if (value === '' || (before !== undefined && before !== value)) refusal = LENGTHS_DIFFER
        return
      }
      // The library misparses chunk extensions, trailers and malformed chunk ends (RFC 9112, 7.1).
      if (name === 'transfer-encoding') refusal = CHUNKS_UNREAD
      this.headers.add(name, value)
    })
    // The library hides all fields after one without a name, and so the content length (RFC 9112, 6.3).
    if (this.method === 'POST' && !this.headers.has('content-length')) refusal ??= LENGTH_REQUIRED
    // The library accepts any text before the first space as the method.
    if (!USUAL_METHODS.has(this.method) && !TOKEN.test(this.method)) refusal = REQUEST_MALFORMED
    this.refusal = refusal
  }

  get account(): ClientQuota {
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

  /** Reserves bytes for the response until it is sent. */
  hold(bytes: number): void {
    this.account.reserve(bytes)
    this.heldBytes += bytes
  }

  /** Releases the reserved memory. Idempotent. @returns whether this was the first call */
  finish(): boolean {
    if (this.heldBytes > 0) this.account.reserve(-this.heldBytes)
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
