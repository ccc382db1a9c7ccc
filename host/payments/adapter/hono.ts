import type { AcceptedPayment, Admission } from '../gate/payment-gate.ts'
import { Conclusion, isServed } from './conclusion.ts'
import {
  AnswerWatch,
  gateRequest,
  goneResponse,
  refusalResponse,
  withPaymentHeaders,
} from './fetch-server.ts'
import { Connections, type NodeResponse, type NodeSocket, watchResponse } from './node-response.ts'
import type { PaymentOptions } from './payment-options.ts'
import { type PricedRoute, PricedRoutes, type RouteTable } from './priced-routes.ts'
import { ambiguousPath } from './refusals.ts'
import { fetchBody } from './request-body.ts'
import { Seller } from './seller.ts'

export interface HonoPaymentOptions extends PaymentOptions {
  /** Paths as Hono's router takes them: whole ones, with the base path of an application that `route` has added. */
  readonly routes: RouteTable
}

/** `new Hono<{ Variables: PaymentVariables }>()` knows the type of `c.get('payment')`. */
export interface PaymentVariables {
  /** What was paid for this request; absent on a route without a price. */
  payment?: AcceptedPayment
}

/** What is needed of a context of Hono 4. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request
    readonly path: string
    readonly method: string
    /** Also of a body that somebody has read by the context. */
    arrayBuffer(): Promise<ArrayBuffer>
  }
  /** Of Node's server: the connection. */
  readonly env: unknown
  /** What a handler threw. */
  readonly error: Error | undefined
  get res(): Response
  set res(response: Response | undefined)
  /** The types of its variables are the application's. */
  set(key: never, value: never): void
}

/** A middleware of Hono: `use` it before the handlers that are to be paid for. */
export interface HonoPayments {
  // biome-ignore lint/suspicious/noConfusingVoidType: as Hono has it
  (context: HonoContext, next: () => Promise<void>): Promise<Response | void>
  /** Opens the folder and asks the chain, which the first request does otherwise. @throws what is wrong with them */
  ready(): Promise<void>
  /** Once no request is served any more. */
  close(): Promise<void>
}

/** What Node's server of Hono hands on; absent where an application is asked without a server. */
interface NodeEnv {
  readonly incoming?: { readonly socket: NodeSocket & { readonly remoteAddress?: string } }
  readonly outgoing?: NodeResponse
}

/**
 * Lets requests of priced routes through once they are paid for: the payment is verified, claimed, and settled where
 * it is an authorization, before a handler runs, which finds it as `c.get('payment')`. A handler that throws, or
 * answers with a status of 400 or more, gives the payment back: it may be shown again for the same request.
 * @throws CONFIG_INVALID for routes and options that are none
 */
export function paymentMiddleware(options: HonoPaymentOptions): HonoPayments {
  const routes = new PricedRoutes(options.routes)
  const seller = new Seller(options, routes.routes)
  const connections = new Connections()
  const middleware = async (context: HonoContext, next: () => Promise<void>) => {
    const { method, path } = context.req
    const route = routes.find(method, path)
    if (route === undefined) return next()
    if (route === 'ambiguous') return refusalResponse(ambiguousPath())
    return sell({ seller, connections }, route, context, next)
  }
  return Object.assign(middleware, { ready: () => seller.ready(), close: () => seller.close() })
}

interface Counter {
  readonly seller: Seller
  readonly connections: Connections
}

async function bodyOf({ req }: HonoContext, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!req.raw.bodyUsed) return fetchBody(req.raw, maxBytes)
  const body = new Uint8Array(await req.arrayBuffer())
  return body.length > maxBytes ? undefined : body
}

async function sell(
  { seller, connections }: Counter,
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
  if (signal.aborted || incoming?.socket.destroyed === true) return goneResponse(conclusion)
  ;(context.set as (key: string, value: AcceptedPayment) => void)('payment', decision.payment)
  const serve =
    incoming === undefined || outgoing === undefined
      ? watchAnswer(decision, conclusion, signal)
      : watchNode(decision, conclusion, incoming.socket, outgoing, connections)
  try {
    await next()
    if (context.error !== undefined) conclusion.is(false)
    const response = serve(context.res)
    // Hono keeps the headers of an answer that is replaced, before those of the new one.
    context.res = undefined
    context.res = response
    return undefined
  } catch (error) {
    conclusion.is(false)
    throw error
  }
}

/** Gives what sends the answer of a handler on. */
function watchNode(
  admission: Admission,
  conclusion: Conclusion,
  socket: NodeSocket,
  outgoing: NodeResponse,
  connections: Connections,
): (response: Response) => Response {
  watchResponse(outgoing, socket, connections, conclusion)
  return (response) => {
    if (!isServed(response.status)) conclusion.is(false)
    return withPaymentHeaders(response, admission.headers)
  }
}

/** The same where there is no server of Node. */
function watchAnswer(
  admission: Admission,
  conclusion: Conclusion,
  signal: AbortSignal,
): (response: Response) => Response {
  const watch = new AnswerWatch(conclusion, signal)
  return (response) => watch.serve(response, admission)
}
