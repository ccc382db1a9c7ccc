import type { HttpRequest, HttpResponse } from '../../api/server/server.ts'
import type { AcceptedPayment } from './payment-gate.ts'
import type { RequestPath } from './request-path.ts'

/** A request that has been paid for. */
export interface PaidRequest {
  readonly request: HttpRequest
  readonly path: RequestPath
  readonly payment: AcceptedPayment
}

/**
 * served: what was paid for is in the response. failed: it is not, and the attempt counts. untried: it is not, and the
 * source was not reached. After the last two the payer may ask again.
 */
export type ServingOutcome = 'served' | 'failed' | 'untried'

export interface SourceResponse {
  readonly response: HttpResponse
  readonly outcome: ServingOutcome
}

/** What is there to be sold at a path, before it is paid for. */
export interface Offer {
  /** A body that throws was not served whole through no fault of the client. */
  serve(request: PaidRequest): SourceResponse | Promise<SourceResponse>
}

/** Where a resource comes from: a file, a folder, another server. */
export interface ResourceSource {
  /** Undefined where there is nothing at the path: nobody is asked to pay for that. */
  find(path: string): Offer | undefined | Promise<Offer | undefined>
}
