import type { GateRequest, PaymentRefusal } from '../gate/payment-gate.ts'
import { Conclusion } from './conclusion.ts'
import { enforceHeaders, setHeaders } from './enforced-headers.ts'
import type { ExpressRequest, ExpressResponse } from './express-types.ts'
import { ConnectionWatch, watchResponse } from './node-response.ts'
import { requestUrl } from './origin.ts'
import { splitTarget } from './path-readings.ts'
import type { PaymentOptions } from './payment-options.ts'
import { type PricedRoute, PricedRoutes, type RouteTable } from './priced-routes.ts'
import { ambiguousPath } from './refusals.ts'
import { nodeBody } from './request-body.ts'
import { Seller } from './seller.ts'

export interface ExpressPaymentOptions extends PaymentOptions {
  /** Paths relative to the mount path of the middleware. */
  readonly routes: RouteTable
}

/** Express middleware. Mount it before the handlers that require payment. */
export interface ExpressPayments {
  (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void): void
  /** Opens the store and connects to the chain; otherwise the first request does. @throws if either fails */
  ready(): Promise<void>
  /** Call after the last request is served. */
  close(): Promise<void>
}

/**
 * Returns middleware that lets requests to priced routes pass after payment. The payment is verified, claimed and,
 * for an authorization, settled before a handler runs; the handler finds it in `request.payment`. A handler that
 * fails or responds with a status of 400 or more releases the payment for a retry of the same request.
 * @throws CONFIG_INVALID if a route or an option is invalid
 */
export function paymentMiddleware(options: ExpressPaymentOptions): ExpressPayments {
  const routes = new PricedRoutes(options.routes)
  const seller = new Seller(options, routes.routes)
  const connections = new ConnectionWatch()
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
  // A table may list whole paths although the middleware is mounted below a path: charge for both readings.
  if (route !== undefined || baseUrl === '') return route
  const whole = splitTarget(`${baseUrl}${below.path}`)
  return whole === undefined ? 'ambiguous' : routes.find(method, whole.path)
}

/** Returns a reader of header values; Node keeps names in the case they were sent in. */
function headerReader(rawHeaders: readonly string[]): GateRequest['header'] {
  return (name) =>
    rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}

function hostOf(rawHeaders: readonly string[]): string | undefined {
  const hosts = headerReader(rawHeaders)('host')
  return hosts.length === 1 ? hosts[0] : undefined
}

interface ExpressContext {
  readonly seller: Seller
  readonly connections: ConnectionWatch
}

/** Returns true if handlers may run; otherwise sends the refusal. */
async function sell(
  { seller, connections }: ExpressContext,
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
  // Drain the unread body: it would block the connection.
  response.once('finish', () => request.resume())
  watchResponse(response, socket, connections, conclusion)
  enforceHeaders(response, decision.headers, () => {
    if (!conclusion.isLost()) return
    // Express cannot replace the response of the handler
    conclusion.release()
    socket.destroy()
  })
  request.payment = decision.payment
  return true
}

function answer(response: ExpressResponse, { status, headers, body }: PaymentRefusal): void {
  response.statusCode = status
  setHeaders(response, headers)
  response.end(body)
}
