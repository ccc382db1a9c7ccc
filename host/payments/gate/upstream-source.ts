import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { messageOf } from '../../base/error.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import { isJson, mergePayment } from './payment-body.ts'
import type {
  PaidHttpRequest,
  ResourceSource,
  ServableResource,
  ServingOutcome,
  SourceResponse,
} from './resource-source.ts'
import { requestHeaders, responseHeaders } from './upstream-headers.ts'
import { passedLocation } from './upstream-location.ts'

/** JSON that receives a member is buffered up to this size; longer JSON is passed on unchanged. */
const WHOLE_JSON_BYTES = 8 * 1024 * 1024

export interface UpstreamSourceOptions {
  /** Base URL of the upstream; request paths are appended. */
  readonly url: string
  /** Idle timeout of the upstream, ms. */
  readonly timeoutMs: number
  /** True if JSON objects receive the member `payment`. */
  readonly withMember: boolean
  /** Scheme that clients use. */
  readonly scheme: 'http' | 'https'
  /** Scheme and host by which clients reach the gate; undefined to use the Host header. */
  readonly publicUrl: string | undefined
  /** Called with the reason if the upstream returned no response. */
  readonly onFailure: (reason: string) => void
}

function failure(
  status: number,
  error: string,
  outcome: ServingOutcome = 'failed',
): SourceResponse {
  const headers = { 'content-type': 'application/json' }
  return { response: { status, headers, body: JSON.stringify({ error }) }, outcome }
}

/** Forwards requests to another server and passes its responses on. */
export class UpstreamSource implements ResourceSource {
  readonly #options: UpstreamSourceOptions
  readonly #offer: ServableResource = { serve: (paid) => this.#serve(paid) }
  readonly #agent: http.Agent

  constructor(options: UpstreamSourceOptions) {
    this.#options = options
    const isTls = options.url.startsWith('https:')
    this.#agent = new (isTls ? https : http).Agent({ keepAlive: true })
  }

  find(): ServableResource {
    return this.#offer
  }

  async #serve(paid: PaidHttpRequest): Promise<SourceResponse> {
    const target = this.#targetOf(paid)
    const sent = { isConnected: false }
    try {
      return await this.#passBack(await this.#ask(target, paid, sent), target, paid)
    } catch (error) {
      this.#options.onFailure(messageOf(error))
      const isLate = error instanceof UpstreamTimeout
      const outcome = sent.isConnected ? 'failed' : 'untried'
      return failure(isLate ? 504 : 502, `upstream ${isLate ? 'timed out' : 'failed'}`, outcome)
    }
  }

  #targetOf({ request, path }: PaidHttpRequest): URL {
    const query = request.query === '' ? '' : `?${request.query}`
    return new URL(`${this.#options.url}${path.encoded}${query}`)
  }

  /**
   * Sends the request; resolves when the response begins. Sets `sent` when the upstream was reached.
   * @throws UpstreamTimeout, or the socket's error
   */
  #ask(
    target: URL,
    { request, path, payment }: PaidHttpRequest,
    sent: { isConnected: boolean },
  ): Promise<IncomingMessage> {
    const { timeoutMs, scheme } = this.#options
    const { signal, body, method } = request
    return new Promise((resolve, reject) => {
      const send = target.protocol === 'https:' ? https.request : http.request
      const to = { host: target.host, scheme, path }
      const headers = requestHeaders(request, payment, to)
      const outgoing = send(target, { method, headers, agent: this.#agent })
      const connect = () => {
        sent.isConnected = true
      }
      outgoing.on('socket', (socket) => {
        if (outgoing.reusedSocket) connect()
        else socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', connect)
      })
      const leave = () => outgoing.destroy(new Error('the client has gone'))
      const timer = startTimer(() => outgoing.destroy(new UpstreamTimeout()), timeoutMs)
      const settle = () => {
        stopTimer(timer)
        signal.removeEventListener('abort', leave)
      }
      outgoing.on('error', (error) => {
        settle()
        reject(error)
      })
      outgoing.on('response', (response) => {
        settle()
        resolve(response)
      })
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      else outgoing.end(body)
    })
  }

  async #passBack(
    response: IncomingMessage,
    target: URL,
    paid: PaidHttpRequest,
  ): Promise<SourceResponse> {
    const { statusCode: status = 502 } = response
    // Passing it on would ask for a second payment.
    if (status === 402) {
      response.resume()
      return failure(502, 'upstream requires a payment of its own')
    }
    const headers = responseHeaders(response.headers)
    const isRedirect = status >= 300 && status < 400
    const { location } = headers
    if (location !== undefined) {
      const passed = passedLocation(location, this.#sidesOf(target, paid))
      if (passed !== undefined) headers.location = passed
      else delete headers.location
      if (passed === undefined && isRedirect) {
        response.resume()
        return failure(502, 'upstream redirects to another server')
      }
    }
    return {
      response: { status, headers, body: await this.#bodyOf(response, paid) },
      // A redirect is not the paid content.
      outcome: status >= 300 ? 'failed' : 'served',
    }
  }

  #sidesOf(target: URL, { request, path }: PaidHttpRequest) {
    const { url, publicUrl, scheme } = this.#options
    const named = path.authority ?? request.headers.get('host')
    const origins = [publicUrl, named === undefined ? undefined : `${scheme}://${named}`]
    const gateHosts = origins.flatMap((origin) => URL.parse(origin ?? '')?.host ?? [])
    const { pathname } = new URL(url)
    return { target, base: pathname === '/' ? '' : pathname, gateHosts }
  }

  async #bodyOf(response: IncomingMessage, { payment }: PaidHttpRequest) {
    const { withMember, timeoutMs } = this.#options
    const { statusCode = 0, headers } = response
    if ([204, 205, 304].includes(statusCode)) {
      response.resume()
      return ''
    }
    const body = timed(response, timeoutMs)
    if (!withMember || statusCode !== 200 || !isPlainJson(headers)) return pieces(body)
    const { read, rest } = await readUpTo(body, WHOLE_JSON_BYTES)
    return rest === undefined ? mergePayment(read.toString(), payment) : joined(read, rest)
  }
}

class UpstreamTimeout extends Error {
  constructor() {
    super('timed out')
  }
}

function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers
  return isJson(type) && coding === 'identity'
}

/** Yields a body with a timeout for each chunk; the reader may take any time between chunks. */
async function* timed(response: IncomingMessage, timeoutMs: number): AsyncGenerator<Buffer> {
  const iterator: AsyncIterator<Buffer> = response[Symbol.asyncIterator]()
  try {
    for (;;) {
      const timer = startTimer(() => response.destroy(new UpstreamTimeout()), timeoutMs)
      const step = await iterator.next().finally(() => stopTimer(timer))
      if (step.done === true) return
      yield step.value
    }
  } finally {
    response.destroy()
  }
}

async function* pieces(response: AsyncIterable<Buffer>): AsyncGenerator<BorrowedView> {
  for await (const borrowed of response) yield { borrowed }
}

async function* joined(read: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<BorrowedView> {
  yield { borrowed: read }
  yield* pieces(rest)
}

/** Buffers a body up to `bytes`. `rest` is the remaining chunks, or undefined if the body is complete. */
async function readUpTo(
  body: AsyncIterable<Buffer>,
  bytes: number,
): Promise<{ readonly read: Buffer; readonly rest: AsyncIterable<Buffer> | undefined }> {
  const iterator = body[Symbol.asyncIterator]()
  const read: Buffer[] = []
  let length = 0
  while (length <= bytes) {
    const step = await iterator.next()
    if (step.done === true) return { read: Buffer.concat(read), rest: undefined }
    read.push(step.value)
    length += step.value.length
  }
  return { read: Buffer.concat(read), rest: { [Symbol.asyncIterator]: () => iterator } }
}
