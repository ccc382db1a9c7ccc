import type { AcceptedPayment } from '../gate/payment-gate.ts'
import { Conclusion } from './conclusion.ts'
import { AnswerWatch, gateRequest, goneResponse, refusalResponse } from './fetch-server.ts'
import type { PaymentOptions } from './payment-options.ts'
import type { RoutePrice } from './priced-routes.ts'
import { fetchBody } from './request-body.ts'
import { Seller } from './seller.ts'

export interface NextPaymentOptions extends PaymentOptions, RoutePrice {
  /** The route's path, such as /api/weather: the name of what is sold in claims and in the ledger. */
  readonly path: string
}

/** A route handler that is told what was paid for the request. */
export type PaidHandler<R extends Request, C> = (
  request: R,
  context: C,
  payment: AcceptedPayment,
) => Response | Promise<Response>

/**
 * A route handler of Next.js (App Router, Node's runtime) that runs once its request is paid for: the payment is
 * verified, claimed, and settled where it is an authorization, before it runs. A handler that throws, or answers with
 * a status of 400 or more, gives the payment back: it may be shown again for the same request. Handlers of one folder
 * share what decides on payments, and open it with the first request.
 * @throws CONFIG_INVALID for options that are none
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
    if (signal.aborted) return goneResponse(conclusion)
    const watch = new AnswerWatch(conclusion, signal)
    try {
      return watch.serve(await handler(request, context, decision.payment), decision)
    } catch (error) {
      watch.fail()
      throw error
    }
  }
}
