import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { messageOf } from '../../base/error.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import { readUpTo } from './body-reader.ts'
import { isJson, withPayment } from './payment-body.ts'
import type { Offer, PaidRequest, ResourceSource, SourceResponse } from './resource-source.ts'
import { requestHeaders, responseHeaders } from './upstream-headers.ts'

/** JSON that a member is added to is held whole; a longer one is passed on as it is. */
const WHOLE_JSON_BYTES = 8 * 1024 * 1024

export interface UpstreamSourceOptions {
  /** Where requests go, by their path below it. */
  readonly url: string
  /** Milliseconds in which the upstream sends nothing. */
  readonly timeoutMs: number
  /** True where a JSON object has the member `payment`. */
  readonly withMember: boolean
  /** Scheme that clients use. */
  readonly scheme: 'http' | 'https'
  /** Hears of an upstream that gave no response. */
  readonly onFailure: (reason: string) => void
}

function failure(status: number, error: string): SourceResponse {
  const headers = { 'content-type': 'application/json' }
  return { response: { status, headers, body: JSON.stringify({ error }) }, failed: true }
}

/** Another server, whose responses are passed on as they come. */
export class UpstreamSource implements ResourceSource {
  readonly #options: UpstreamSourceOptions
  readonly #offer: Offer = { serve: (paid) => this.#serve(paid) }
  readonly #agent: http.Agent

  constructor(options: UpstreamSourceOptions) {
    this.#options = options
    const isTls = options.url.startsWith('https:')
    this.#agent = new (isTls ? https : http).Agent({ keepAlive: true })
  }

  find(): Offer {
    return this.#offer
  }

  async #serve(paid: PaidRequest): Promise<SourceResponse> {
    try {
      return await this.#passBack(await this.#ask(paid), paid)
    } catch (error) {
      this.#options.onFailure(messageOf(error))
      const isLate = error instanceof UpstreamTimeout
      return failure(isLate ? 504 : 502, `upstream ${isLate ? 'timed out' : 'failed'}`)
    }
  }

  /** Resolves once the response begins. @throws UpstreamTimeout, and what the socket gives */
  #ask({ request, path, payment }: PaidRequest): Promise<IncomingMessage> {
    const { url, timeoutMs, scheme } = this.#options
    const query = request.query === '' ? '' : `?${request.query}`
    const target = new URL(`${url}${path.encoded}${query}`)
    const { signal, body, method } = request
    return new Promise((resolve, reject) => {
      const send = target.protocol === 'https:' ? https.request : http.request
      const to = { host: target.host, scheme, path }
      const headers = requestHeaders(request, payment, to)
      const outgoing = send(target, { method, headers, agent: this.#agent })
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

  async #passBack(response: IncomingMessage, paid: PaidRequest): Promise<SourceResponse> {
    const { statusCode: status = 502 } = response
    // It would ask who has paid to pay once more.
    if (status === 402) {
      response.resume()
      return failure(502, 'upstream asks for a payment of its own')
    }
    const headers = responseHeaders(response.headers)
    return {
      response: { status, headers, body: await this.#bodyOf(response, paid) },
      failed: status >= 400,
    }
  }

  async #bodyOf(response: IncomingMessage, { payment }: PaidRequest) {
    const { withMember, timeoutMs } = this.#options
    const { statusCode = 0, headers } = response
    if ([204, 205, 304].includes(statusCode)) {
      response.resume()
      return ''
    }
    const body = timed(response, timeoutMs)
    if (!withMember || statusCode !== 200 || !isPlainJson(headers)) return pieces(body)
    const { read, rest } = await readUpTo(body, WHOLE_JSON_BYTES)
    return rest === undefined ? withPayment(read.toString(), payment) : joined(read, rest)
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

/** A body whose next piece may take so long; whoever reads it may take any time between two of them. */
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
