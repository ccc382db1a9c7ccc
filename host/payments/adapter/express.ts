import type { GateRequest, Refusal } from '../gate/payment-gate.ts'
import { Conclusion } from './conclusion.ts'
import { enforceHeaders, setHeaders } from './enforced-headers.ts'
import type { ExpressRequest, ExpressResponse } from './express-types.ts'
import { Connections, watchResponse } from './node-response.ts'
import { requestUrl } from './origin.ts'
import { splitTarget } from './path-readings.ts'
import type { PaymentOptions } from './payment-options.ts'
import { type PricedRoute, PricedRoutes, type RouteTable } from './priced-routes.ts'
import { ambiguousPath } from './refusals.ts'
import { nodeBody } from './request-body.ts'
import { Seller } from './seller.ts'

export interface ExpressPaymentOptions extends PaymentOptions {
  /** Paths as they are below where the middleware is mounted. */
  readonly routes: RouteTable
}

/** A middleware of Express: mount it before the handlers that are to be paid for. */
export interface ExpressPayments {
  (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void): void
  /** Opens the folder and asks the chain, which the first request does otherwise. @throws what is wrong with them */
  ready(): Promise<void>
  /** Once no request is served any more. */
  close(): Promise<void>
}

/**
 * Lets requests of priced routes through once they are paid for: the payment is verified, claimed, and settled where
 * it is an authorization, before a handler runs, which finds it in `request.payment`. A handler that fails, or answers
 * with a status of 400 or more, gives the payment back: it may be shown again for the same request.
 * @throws CONFIG_INVALID for routes and options that are none
 */
export function paymentMiddleware(options: ExpressPaymentOptions): ExpressPayments {
  const routes = new PricedRoutes(options.routes)
  const seller = new Seller(options, routes.routes)
  const connections = new Connections()
  const middleware = (
    request: ExpressRequest,
    response: ExpressResponse,
    next: (error?: unknown) => void,
  ): void => {
    const route = findRoute(routes, request)
    if (route === undefined) next()
    else if (typeof route === 'string') answer(response, ambiguousPath())
    else
      sell({ seller, connections }, route, request, response).then(
        (isPaid) => isPaid && next(),
        next,
      )
  }
  return Object.assign(middleware, {
    ready: () => seller.ready(),
    close: () => seller.close(),
  })
}

function findRoute(
  routes: PricedRoutes,
  { method, url, baseUrl }: ExpressRequest,
): PricedRoute | 'ambiguous' | undefined {
  const below = splitTarget(url)
  if (below === undefined) return 'ambiguous'
  const route = routes.find(method, below.path)
  // Whoever mounts it below a path may have written whole paths: better asked for too much than for nothing
  if (route !== undefined || baseUrl === '') return route
  const whole = splitTarget(`${baseUrl}${below.path}`)
  return whole === undefined ? 'ambiguous' : routes.find(method, whole.path)
}

/** Values of a header, whose names Node keeps as they were sent. */
function headerReader(rawHeaders: readonly string[]): GateRequest['header'] {
  return (name) =>
    rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}

function hostOf(rawHeaders: readonly string[]): string | undefined {
  const hosts = headerReader(rawHeaders)('host')
  return hosts.length === 1 ? hosts[0] : undefined
}

interface Counter {
  readonly seller: Seller
  readonly connections: Connections
}

/** Sends a refusal, or has the handlers run: true where they may. */
async function sell(
  { seller, connections }: Counter,
  route: PricedRoute,
  request: ExpressRequest,
  response: ExpressResponse,
): Promise<boolean> {
  const target = splitTarget(request.originalUrl)
  if (target === undefined) {
    answer(response, ambiguousPath())
    return false
  }
  const { rawHeaders, method, protocol, ip, socket } = request
  const gone = new AbortController()
  const stay = connections.onClose(socket, () => gone.abort())
  const host = hostOf(rawHeaders)
  const decision = await seller
    .decide(route, {
      method,
      url: requestUrl(seller.publicUrl, protocol, host, `${target.path}${target.query}`),
      header: headerReader(rawHeaders),
      ...(ip !== undefined && { client: ip }),
      body: () => nodeBody(request, seller.maxBodyBytes),
      signal: gone.signal,
    })
    .finally(stay)
  if (decision.kind === 'refused') {
    answer(response, decision)
    return false
  }
  const conclusion = new Conclusion(decision, seller.onFailure)
  if (socket.destroyed) {
    conclusion.release()
    return false
  }
  // What no handler reads of the body would keep the connection.
  response.once('finish', () => request.resume())
  watchResponse(response, socket, connections, conclusion)
  enforceHeaders(response, decision.headers)
  request.payment = decision.payment
  return true
}

function answer(response: ExpressResponse, { status, headers, body }: Refusal): void {
  response.statusCode = status
  setHeaders(response, headers)
  response.end(body)
}
