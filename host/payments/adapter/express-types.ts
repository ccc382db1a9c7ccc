import type { AcceptedPayment } from '../gate/payment-gate.ts'
import type { HeadedResponse } from './enforced-headers.ts'
import type { NodeResponse, NodeSocket } from './node-response.ts'
import type { NodeBody } from './request-body.ts'

/** The members of an Express 4 or 5 request that the middleware uses. */
export interface ExpressRequest extends NodeBody {
  readonly method: string
  /** Relative to the mount path, as later handlers match it. */
  readonly url: string
  /** Mount path of the middleware; empty if mounted on the application itself. */
  readonly baseUrl: string
  /** As the client sent it. */
  readonly originalUrl: string
  readonly socket: NodeSocket
  readonly protocol: string
  /** IP address of the peer, or of the client as `trust proxy` resolves it. */
  readonly ip?: string | undefined
  resume(): unknown
  /** The payment accepted for this request. */
  payment?: AcceptedPayment
}

/** The members of an Express response, which is Node's, that the middleware uses. */
export interface ExpressResponse extends HeadedResponse, NodeResponse {
  statusCode: number
  end(body?: string): unknown
}

declare global {
  namespace Express {
    interface Request {
      /** The payment accepted for this request; absent on a route without a price. */
      payment?: AcceptedPayment
    }
  }
}
