import type { AcceptedPayment } from '../gate/payment-gate.ts'
import type { HeadedResponse } from './enforced-headers.ts'
import type { NodeResponse, NodeSocket } from './node-response.ts'
import type { NodeBody } from './request-body.ts'

/** What is needed of a request of Express, 4 or 5. */
export interface ExpressRequest extends NodeBody {
  readonly method: string
  /** Below where the middleware is mounted, as later handlers are matched with it. */
  readonly url: string
  /** Where the middleware is mounted; empty for the application itself. */
  readonly baseUrl: string
  /** As the client sent it. */
  readonly originalUrl: string
  readonly socket: NodeSocket
  readonly protocol: string
  /** The peer, or what stands for it by `trust proxy`. */
  readonly ip?: string | undefined
  resume(): unknown
  /** What was paid for this request. */
  payment?: AcceptedPayment
}

/** What is needed of a response of Express, which is Node's. */
export interface ExpressResponse extends HeadedResponse, NodeResponse {
  statusCode: number
  end(body?: string): unknown
}

declare global {
  namespace Express {
    interface Request {
      /** What was paid for this request; absent on a route without a price. */
      payment?: AcceptedPayment
    }
  }
}
