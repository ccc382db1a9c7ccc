import type { Admission, GateRequest, Refusal } from '../gate/payment-gate.ts'
import { type Conclusion, isServed } from './conclusion.ts'
import { enforcedValue } from './enforced-headers.ts'
import { requestUrl } from './origin.ts'

/** No status that anybody sees; logs have it by nginx's name for it. */
const CLIENT_GONE = 499

/** A request of the Fetch API as the gate takes it. */
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
    // One that is sent twice comes joined by a comma (RFC 9110, 5.3), which no proof has.
    header: (name) => request.headers.get(name)?.split(', ') ?? [],
    ...(client !== undefined && { client }),
    body,
    signal,
  }
}

export function refusalResponse({ status, headers, body }: Refusal): Response {
  return new Response(body === '' ? null : body, { status, headers })
}

/** The answer to nobody: the client has left before it was served. */
export function goneResponse(conclusion: Conclusion): Response {
  conclusion.release()
  return new Response(null, { status: CLIENT_GONE })
}

/** An answer of a handler with the headers of the payment. */
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
 * Says what became of an answer by its body: delivered once its last byte was taken, or its reader has left after the
 * first; failed where it broke off by itself, or the client was gone before anybody had begun to read it.
 */
export class AnswerWatch {
  readonly #conclusion: Conclusion
  readonly #signal: AbortSignal
  #hasBegun = false

  /** From now on a client that leaves has got nothing, until it has. */
  constructor(conclusion: Conclusion, signal: AbortSignal) {
    this.#conclusion = conclusion
    this.#signal = signal
    signal.addEventListener('abort', this.#leave, { once: true })
    if (signal.aborted) this.#leave()
  }

  /** The answer as it goes out. */
  serve(response: Response, admission: Admission): Response {
    const { status, body } = response
    const isWatched = isServed(status) && body !== null
    if (!isWatched) this.#end(isServed(status))
    return withPaymentHeaders(response, admission.headers, isWatched ? this.#watch(body) : body)
  }

  /** There is no answer. */
  fail(): void {
    this.#end(false)
  }

  readonly #leave = (): void => this.#end(this.#hasBegun)

  #end(isDelivered: boolean): void {
    this.#signal.removeEventListener('abort', this.#leave)
    this.#conclusion.is(isDelivered)
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
            this.#end(true)
            controller.close()
          } catch (error) {
            this.#end(false)
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
