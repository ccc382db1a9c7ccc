import { isLoopback } from '../../api/server/loopback.ts'
import {
  disposeBody,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
} from '../../api/server/server.ts'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { type GateAddress, gateBase } from './gate-base.ts'
import type {
  Admission,
  GateRequest,
  PaymentGate,
  PaymentRefusal,
  ProofProtocol,
} from './payment-gate.ts'
import { type RequestPath, requestPath } from './request-path.ts'
import { ResourceMap } from './resource-map.ts'
import type {
  PaidHttpRequest,
  ServableResource,
  ServingOutcome,
  SourceResponse,
} from './resource-source.ts'
import type { SoldResource } from './sold-resource.ts'

export interface GateHandlerOptions extends GateAddress {
  readonly gate: PaymentGate
  readonly resources: readonly SoldResource[]
  /** Handlers served at exact paths, free of charge. */
  readonly others: ReadonlyMap<string, HttpHandler>
  readonly observer: GateObserver
}

/** Observes decisions, for metrics and logs. */
export interface GateObserver {
  /** Called for requests that matched a resource. */
  onDecision(resource: string, decision: PaymentRefusal | Admission, milliseconds: number): void
  /** Called when a paid response was delivered, or its claim released. */
  onEnd(resource: string, protocol: ProofProtocol, isDelivered: boolean): void
  onDefect(error: unknown): void
}

const NOT_STORED = { 'cache-control': 'no-store' }

function plainText(status: number, text: string, headers = {}): HttpResponse {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return { status, headers: { ...type, ...NOT_STORED, ...headers }, body: `${text}\n` }
}

const NOT_FOUND = plainText(404, 'nothing is sold at this path')
const NOT_HELD = plainText(503, 'the payment could not be held: retry with the same proof')
const FAILED = plainText(500, 'the resource could not be served: retry with the same proof')

/** Serves priced resources after payment. */
export class GateHandler {
  readonly #options: GateHandlerOptions
  readonly #resources: ResourceMap<SoldResource>
  #requests = 0

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
    const { gate, observer } = this.#options
    const start = performance.now()
    const decision = await gate.decide(resource.priced, this.#gateRequest(request, path))
    observer.onDecision(resource.path, decision, performance.now() - start)
    if (decision.kind === 'admitted') {
      const end = (outcome: ServingOutcome) => this.#end(resource, decision, outcome)
      return this.#serve(offer, decision, { request, path, payment: decision.payment }, end)
    }
    const { status, headers, body } = decision
    return { status, headers: { ...headers, ...(request.method === 'OPTIONS' && { allow }) }, body }
  }

  async #serve(
    offer: ServableResource,
    admission: Admission,
    paid: PaidHttpRequest,
    end: (outcome: ServingOutcome) => Promise<void>,
  ): Promise<HttpResponse> {
    const { response, outcome } = await this.#fromSource(offer, paid)
    const { status, body } = response
    if (!admission.isHeld()) {
      await end('untried')
      await disposeBody(response)
      return NOT_HELD
    }
    const headers = { ...response.headers, ...admission.headers }
    if (typeof body === 'string' || body instanceof Uint8Array) {
      // A client that disconnected before the first byte received nothing.
      const isGone = outcome === 'served' && paid.request.signal.aborted
      await end(isGone ? 'failed' : outcome)
      return { status, headers, body }
    }
    return {
      status,
      headers,
      body: new WatchedBody(
        body,
        (isWhole) => void end(outcome === 'served' && !isWhole ? 'failed' : outcome),
      ),
    }
  }

  async #fromSource(offer: ServableResource, paid: PaidHttpRequest): Promise<SourceResponse> {
    try {
      return await offer.serve(paid)
    } catch (error) {
      this.#options.observer.onDefect(error)
      return { response: FAILED, outcome: 'untried' }
    }
  }

  /** Records how serving ended. If that fails, the claim stays open for the same request. */
  async #end({ path }: SoldResource, admission: Admission, outcome: ServingOutcome): Promise<void> {
    const { observer } = this.#options
    observer.onEnd(path, admission.protocol, outcome === 'served')
    const fail = (error: unknown) => observer.onDefect(error)
    // Runs after the response is handed to the socket, which happens when callers of this promise have run.
    if (outcome === 'served') setImmediate(() => admission.delivered().catch(fail))
    else await (outcome === 'failed' ? admission.failed() : admission.released()).catch(fail)
  }

  /** Loopback clients share an address and may be a proxy with many clients, so each request counts as its own. */
  #clientOf({ remoteAddress }: HttpRequest): string {
    return isLoopback(remoteAddress) ? `${remoteAddress} ${this.#requests++}` : remoteAddress
  }

  #gateRequest(request: HttpRequest, { encoded, authority }: RequestPath): GateRequest {
    const { publicUrl, scheme } = this.#options
    const query = request.query === '' ? '' : `?${request.query}`
    return {
      method: request.method,
      client: this.#clientOf(request),
      get url() {
        const host = authority ?? request.headers.get('host')
        return new URL(`${gateBase({ publicUrl, scheme }, host)}${encoded}${query}`)
      },
      // Repeated headers arrive joined by a comma (RFC 9110, 5.3).
      header: (name) => request.headers.get(name)?.split(',').map(trim) ?? [],
      body: () => request.body,
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
 * A streamed body that reports once how it ended. It counts as delivered if the client disconnects after the first
 * chunk; it does not if the body errors or was never read.
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
