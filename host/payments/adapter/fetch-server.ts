import type { Admission, GateRequest, PaymentRefusal } from '../gate/payment-gate.ts'
import { type Conclusion, isServed } from './conclusion.ts'
import { enforcedValue } from './enforced-headers.ts'
import { requestUrl } from './origin.ts'

/** nginx's status for a client that closed the request; it appears in logs only. */
const CLIENT_GONE = 499

/** Converts a Fetch API request to the gate's form. */
export function gateRequest(
  request: Request,
  publicUrl: string | undefined,
  client: string | undefined,
  signal: AbortSignal,
  body: NonNullable<GateRequest['body']>,
): GateRequest {
  const { protocol, pathname, search } = new URL(request.url)
  const host = request.headers.get('host') ?? undefined
  return {
    method: request.method,
    url: requestUrl(publicUrl, protocol.slice(0, -1), host, `${pathname}${search}`),
    // Fetch joins repeated headers with a comma (RFC 9110, 5.3); no proof contains one.
    header: (name) => request.headers.get(name)?.split(', ') ?? [],
    ...(client !== undefined && { client }),
    body,
    signal,
  }
}

export function refusalResponse({ status, headers, body }: PaymentRefusal): Response {
  return new Response(body === '' ? null : body, { status, headers })
}

/** Releases the payment of a client that left unserved and returns an empty response. */
export function clientClosedResponse(conclusion: Conclusion): Response {
  conclusion.release()
  return new Response(null, { status: CLIENT_GONE })
}

/** Returns the response if another server may have taken the payment over while the handler ran. */
export function takenOverResponse(conclusion: Conclusion): Response {
  conclusion.release()
  return new Response('the payment could not be held: retry with the same proof', { status: 503 })
}

/** Returns a handler's response with the payment headers added. */
export function withPaymentHeaders(
  response: Response,
  payment: Readonly<Record<string, string>>,
  body: ReadableStream<Uint8Array> | null = response.body,
): Response {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(payment)) {
    headers.set(name, enforcedValue(name, value, headers.get(name)))
  }
  return new Response(body, { status, statusText, headers })
}

/**
 * Reports the outcome of a response from its body. It is delivered after the last byte is read, or if the reader
 * cancels after the first chunk. It fails if the body errors, or if the client leaves before anything was read.
 */
export class ResponseWatch {
  readonly #conclusion: Conclusion
  readonly #signal: AbortSignal
  readonly #recordsFirst: boolean
  #hasBegun = false

  /**
   * From here on, a client that leaves before reading anything counts as not served.
   * @param recordsFirst true to record a delivery before the response ends, since the process may be stopped then
   */
  constructor(conclusion: Conclusion, signal: AbortSignal, recordsFirst: boolean) {
    this.#conclusion = conclusion
    this.#signal = signal
    this.#recordsFirst = recordsFirst
    signal.addEventListener('abort', this.#leave, { once: true })
    if (signal.aborted) this.#leave()
  }

  /** Returns the response to send. */
  async serve(response: Response, admission: Admission): Promise<Response> {
    if (this.#conclusion.isLost()) {
      await response.body?.cancel()
      return takenOverResponse(this.#conclusion)
    }
    const { status, body } = response
    const isWatched = isServed(status) && body !== null
    if (!isWatched) await this.#finish(isServed(status))
    return withPaymentHeaders(response, admission.headers, isWatched ? this.#watch(body) : body)
  }

  /** Reports that the handler produced no response. */
  fail(): void {
    this.#end(false)
  }

  readonly #leave = (): void => this.#end(this.#hasBegun)

  #end(isDelivered: boolean): void {
    this.#signal.removeEventListener('abort', this.#leave)
    this.#conclusion.is(isDelivered)
  }

  async #finish(isDelivered: boolean): Promise<void> {
    this.#end(isDelivered)
    if (this.#recordsFirst) await this.#conclusion.recorded()
  }

  #watch(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read()
            if (!done) {
              this.#hasBegun = true
              controller.enqueue(value)
              return
            }
            await this.#finish(true)
            controller.close()
          } catch (error) {
            await this.#finish(false)
            controller.error(error)
          }
        },
        cancel: (reason) => {
          this.#leave()
          return reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }
}
