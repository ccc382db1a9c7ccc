import type { BorrowedView } from '../../base/borrowed-view.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../server/server.ts'
import type { Admission, GateRequest, PaymentGate } from './payment-gate.ts'
import { type RequestPath, requestPath } from './request-path.ts'
import { ResourceMap } from './resource-map.ts'
import type { Offer, SourceResponse } from './resource-source.ts'
import type { SoldResource } from './sold-resource.ts'

export interface GateHandlerOptions {
  readonly gate: PaymentGate
  readonly resources: readonly SoldResource[]
  /** Scheme and host that clients reach the gate by; undefined for the host that they name. */
  readonly publicUrl: string | undefined
  /** Scheme where `publicUrl` does not say it. */
  readonly scheme: 'http' | 'https'
  /** What else is served at exactly a path: it is not for sale. */
  readonly others: ReadonlyMap<string, HttpHandler>
  readonly onDefect: (error: unknown) => void
}

const NOT_STORED = { 'cache-control': 'no-store' }

function plainText(status: number, text: string, headers = {}): HttpResponse {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return { status, headers: { ...type, ...NOT_STORED, ...headers }, body: `${text}\n` }
}

const NOT_FOUND = plainText(404, 'nothing is sold at this path')
const FAILED = plainText(500, 'the resource could not be served: ask again with the same proof')

/** Serves resources to who has paid for them. */
export class GateHandler {
  readonly #options: GateHandlerOptions
  readonly #resources: ResourceMap<SoldResource>

  constructor(options: GateHandlerOptions) {
    this.#options = options
    this.#resources = new ResourceMap(options.resources)
  }

  readonly handle: HttpHandler = (request) => {
    const path = requestPath(request.path)
    if (path === undefined) return NOT_FOUND
    const other = this.#options.others.get(path.path)
    if (other !== undefined) return other(request)
    const resource = this.#resources.find(path.path)
    if (resource === undefined) return NOT_FOUND
    return this.#answer(resource, path, request)
  }

  async #answer(
    resource: SoldResource,
    path: RequestPath,
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const { methods } = resource
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    const isSold = allow.split(', ').includes(request.method)
    if (!isSold) return plainText(405, `this resource is sold under ${allow}`, { allow })
    const offer = await resource.source.find(path.path)
    if (offer === undefined) return NOT_FOUND
    const decision = await this.#options.gate.decide(
      resource.priced,
      this.#gateRequest(request, path),
    )
    if (decision.kind === 'admitted') return this.#serve(offer, decision, path, request)
    const { status, headers, body } = decision
    return { status, headers: { ...headers, ...(request.method === 'OPTIONS' && { allow }) }, body }
  }

  async #serve(
    offer: Offer,
    admission: Admission,
    path: RequestPath,
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const { payment } = admission
    const { response, failed } = await this.#fromSource(offer, { request, path, payment })
    const { status, body } = response
    const headers = { ...response.headers, ...admission.headers }
    if (typeof body === 'string' || body instanceof Uint8Array) {
      // A client that is gone before the first byte has got nothing.
      await this.#end(admission, !failed && !request.signal.aborted)
      return { status, headers, body }
    }
    const end = (isDelivered: boolean) => this.#end(admission, isDelivered && !failed)
    return { status, headers, body: new WatchedBody(body, end) }
  }

  async #fromSource(offer: Offer, paid: Parameters<Offer['serve']>[0]): Promise<SourceResponse> {
    try {
      return await offer.serve(paid)
    } catch (error) {
      this.#options.onDefect(error)
      return { response: FAILED, failed: true }
    }
  }

  /** Notes how it ended. What cannot be noted leaves the claim open for the same request: nothing is lost. */
  async #end(admission: Admission, isDelivered: boolean): Promise<void> {
    if (isDelivered) {
      // Once the answer is with the socket, which it is given when this promise's callers have run.
      setImmediate(() => admission.delivered().catch(this.#options.onDefect))
      return
    }
    await admission.failed().catch(this.#options.onDefect)
  }

  #gateRequest(request: HttpRequest, { encoded, authority }: RequestPath): GateRequest {
    const { publicUrl, scheme } = this.#options
    const query = request.query === '' ? '' : `?${request.query}`
    return {
      method: request.method,
      get url() {
        const named = `${scheme}://${authority ?? request.headers.get('host') ?? ''}`
        const base = publicUrl ?? URL.parse(named)?.origin ?? `${scheme}://localhost`
        return new URL(`${base}${encoded}${query}`)
      },
      // A header that is sent twice reaches us as one, with a comma between (RFC 9110, 5.3).
      header: (name) => request.headers.get(name)?.split(',').map(trim) ?? [],
      get signal() {
        return request.signal
      },
    }
  }
}

function trim(text: string): string {
  return text.trim()
}

/**
 * A streamed body that tells once how it ended. A client that leaves once it has begun has had what it wanted; a body
 * that breaks off by itself, or that nobody has begun to read, was not delivered.
 */
class WatchedBody implements AsyncIterable<BorrowedView> {
  readonly #body: AsyncIterable<BorrowedView>
  readonly #onEnd: (isDelivered: boolean) => void

  constructor(body: AsyncIterable<BorrowedView>, onEnd: (isDelivered: boolean) => void) {
    this.#body = body
    this.#onEnd = onEnd
  }

  [Symbol.asyncIterator](): AsyncIterator<BorrowedView> {
    const body = this.#body[Symbol.asyncIterator]()
    let hasEnded = false
    let hasBegun = false
    const end = (isDelivered: boolean) => {
      if (!hasEnded) this.#onEnd(isDelivered)
      hasEnded = true
    }
    return {
      next: async () => {
        try {
          const step = await body.next()
          if (step.done === true) end(true)
          else hasBegun = true
          return step
        } catch (thrown) {
          end(false)
          throw thrown
        }
      },
      return: async () => {
        end(hasBegun)
        await body.return?.()
        return { done: true, value: undefined }
      },
    }
  }
}
