import type { AcceptedPayment } from '../gate/payment-gate.ts'
import { Conclusion } from './conclusion.ts'
import {
  clientClosedResponse,
  gateRequest,
  ResponseWatch,
  refusalResponse,
} from './fetch-server.ts'
import type { PaymentOptions } from './payment-options.ts'
import type { RoutePrice } from './priced-routes.ts'
import { fetchBody } from './request-body.ts'
import { Seller } from './seller.ts'

export interface NextPaymentOptions extends PaymentOptions, RoutePrice {
  /** Path of the route, such as /api/weather. It names the resource in claims and in the ledger. */
  readonly path: string
}

/** A route handler that also receives the accepted payment. */
export type PaidHandler<R extends Request, C> = (
  request: R,
  context: C,
  payment: AcceptedPayment,
) => Response | Promise<Response>

/**
 * Wraps a Next.js route handler (App Router, Node runtime) so that it runs after payment. The payment is verified,
 * claimed and, for an authorization, settled first. A handler that throws or responds with a status of 400 or more
 * releases the payment for a retry of the same request. Handlers with the same folder or database share one gate, which
 * the first request opens.
 * @throws CONFIG_INVALID if an option is invalid
 */
export function withPayment<R extends Request, C>(
  handler: PaidHandler<R, C>,
  options: NextPaymentOptions,
): (request: R, context: C) => Promise<Response> {
  const route = { ...options, method: undefined }
  const seller = new Seller(options, [route])
  return async (request, context) => {
    const { signal } = request
    const decision = await seller.decide(
      route,
      gateRequest(request, seller.publicUrl, undefined, signal, () =>
        fetchBody(request, seller.maxBodyBytes),
      ),
    )
    if (decision.kind === 'refused') return refusalResponse(decision)
    const conclusion = new Conclusion(decision, seller.onFailure)
    if (signal.aborted) return clientClosedResponse(conclusion)
    const watch = new ResponseWatch(conclusion, signal, seller.recordsFirst)
    try {
      return await watch.serve(await handler(request, context, decision.payment), decision)
    } catch (error) {
      watch.fail()
      throw error
    }
  }
}
