import type { HttpRequest, HttpResponse } from '../../api/server/server.ts'
import type { AcceptedPayment } from './payment-gate.ts'
import type { RequestPath } from './request-path.ts'

/** A paid request. */
export interface PaidHttpRequest {
  readonly request: HttpRequest
  readonly path: RequestPath
  readonly payment: AcceptedPayment
}

/**
 * served: the response contains the resource. failed: it does not, and the attempt counts. untried: the source was
 * not reached, and no attempt counts. After `failed` and `untried` the payer may retry.
 */
export type ServingOutcome = 'served' | 'failed' | 'untried'

export interface SourceResponse {
  readonly response: HttpResponse
  readonly outcome: ServingOutcome
}

/** A resource that can be sold at a path, before payment. */
export interface ServableResource {
  /** A body that throws was not served completely, through no fault of the client. */
  serve(request: PaidHttpRequest): SourceResponse | Promise<SourceResponse>
}

/** Source of a resource: a file, a folder, another server. */
export interface ResourceSource {
  /** Returns undefined if nothing exists at the path; no payment is requested then. */
  find(path: string): ServableResource | undefined | Promise<ServableResource | undefined>
}
