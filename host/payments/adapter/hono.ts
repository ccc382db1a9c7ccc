import type { AcceptedPayment, Admission } from '../gate/payment-gate.ts'
import { Conclusion, isServed } from './conclusion.ts'
import {
  clientClosedResponse,
  gateRequest,
  ResponseWatch,
  refusalResponse,
  takenOverResponse,
  withPaymentHeaders,
} from './fetch-server.ts'
import {
  ConnectionWatch,
  type NodeResponse,
  type NodeSocket,
  watchResponse,
} from './node-response.ts'
import type { PaymentOptions } from './payment-options.ts'
import { type PricedRoute, PricedRoutes, type RouteTable } from './priced-routes.ts'
import { ambiguousPath } from './refusals.ts'
import { fetchBody } from './request-body.ts'
import { Seller } from './seller.ts'

export interface HonoPaymentOptions extends PaymentOptions {
  /** Whole paths, as Hono's router matches them, including a base path that `route` has added. */
  readonly routes: RouteTable
}

/** Types `c.get('payment')`, as in `new Hono<{ Variables: PaymentVariables }>()`. */
export interface PaymentVariables {
  /** The payment accepted for this request; absent on a route without a price. */
  payment?: AcceptedPayment
}

/** The members of a Hono 4 context that the middleware uses. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request
    readonly path: string
    readonly method: string
    /** Works after a handler has read the body through the context. */
    arrayBuffer(): Promise<ArrayBuffer>
  }
  /** On Node's server: the connection. */
  readonly env: unknown
  /** Error thrown by a handler. */
  readonly error: Error | undefined
  get res(): Response
  set res(response: Response | undefined)
  /** The application declares the types of its variables. */
  set(key: never, value: never): void
}

/** Hono middleware. `use` it before the handlers that require payment. */
export interface HonoPayments {
  // biome-ignore lint/suspicious/noConfusingVoidType: as Hono has it
  (context: HonoContext, next: () => Promise<void>): Promise<Response | void>
  /** Opens the store and connects to the chain; otherwise the first request does. @throws if either fails */
  ready(): Promise<void>
  /** Call after the last request is served. */
  close(): Promise<void>
}

/** Set by Hono's Node server; absent if the application is called without a server. */
interface NodeEnv {
  readonly incoming?: { readonly socket: NodeSocket & { readonly remoteAddress?: string } }
  readonly outgoing?: NodeResponse
}

/**
 * Returns middleware that lets requests to priced routes pass after payment. The payment is verified, claimed and,
 * for an authorization, settled before a handler runs; the handler finds it in `c.get('payment')`. A handler that
 * throws or responds with a status of 400 or more releases the payment for a retry of the same request.
 * @throws CONFIG_INVALID if a route or an option is invalid
 */
export function paymentMiddleware(options: HonoPaymentOptions): HonoPayments {
  const routes = new PricedRoutes(options.routes)
  const seller = new Seller(options, routes.routes)
  const connections = new ConnectionWatch()
  const middleware = async (context: HonoContext, next: () => Promise<void>) => {
    const { method, path } = context.req
    const route = routes.find(method, path)
    if (route === undefined) return next()
    if (route === 'ambiguous') return refusalResponse(ambiguousPath())
    return sell({ seller, connections }, route, context, next)
  }
  return Object.assign(middleware, { ready: () => seller.ready(), close: () => seller.close() })
}

interface HonoMiddlewareContext {
  readonly seller: Seller
  readonly connections: ConnectionWatch
}

async function bodyOf({ req }: HonoContext, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!req.raw.bodyUsed) return fetchBody(req.raw, maxBytes)
  const body = new Uint8Array(await req.arrayBuffer())
  return body.length > maxBytes ? undefined : body
}

async function sell(
  { seller, connections }: HonoMiddlewareContext,
  route: PricedRoute,
  context: HonoContext,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const { raw } = context.req
  const { signal } = raw
  const { incoming, outgoing } = (context.env ?? {}) as NodeEnv
  const client = incoming?.socket.remoteAddress
  const body = () => bodyOf(context, seller.maxBodyBytes)
  const asked = gateRequest(raw, seller.publicUrl, client, signal, body)
  const decision = await seller.decide(route, asked)
  if (decision.kind === 'refused') return refusalResponse(decision)
  const conclusion = new Conclusion(decision, seller.onFailure)
  if (signal.aborted || incoming?.socket.destroyed === true) return clientClosedResponse(conclusion)
  ;(context.set as (key: string, value: AcceptedPayment) => void)('payment', decision.payment)
  const serve =
    incoming === undefined || outgoing === undefined
      ? watchAnswer(decision, conclusion, signal, seller.recordsFirst)
      : watchNode(decision, conclusion, incoming.socket, outgoing, connections)
  try {
    await next()
    if (context.error !== undefined) conclusion.is(false)
    const response = await serve(context.res)
    // Hono merges the headers of a replaced response into the new one, so clear it first.
    context.res = undefined
    context.res = response
    return undefined
  } catch (error) {
    conclusion.is(false)
    throw error
  }
}

/** Returns a function that forwards the handler's response, for Node's server. */
function watchNode(
  admission: Admission,
  conclusion: Conclusion,
  socket: NodeSocket,
  outgoing: NodeResponse,
  connections: ConnectionWatch,
): (response: Response) => Response {
  watchResponse(outgoing, socket, connections, conclusion)
  return (response) => {
    if (conclusion.isLost()) return takenOverResponse(conclusion)
    if (!isServed(response.status)) conclusion.is(false)
    return withPaymentHeaders(response, admission.headers)
  }
}

/** Same as `watchNode`, without a Node server. */
function watchAnswer(
  admission: Admission,
  conclusion: Conclusion,
  signal: AbortSignal,
  recordsFirst: boolean,
): (response: Response) => Promise<Response> {
  const watch = new ResponseWatch(conclusion, signal, recordsFirst)
  return (response) => watch.serve(response, admission)
}
