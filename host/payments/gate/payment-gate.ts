import type { Hex } from '../../base/hex.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { PricedResource } from '../protocol/terms.ts'

/** A request for a priced resource, from whatever server it comes. */
export interface GateRequest {
  readonly method: string
  /** Absolute, as the client wrote it. */
  readonly url: URL
  /** Every value of a header, in order: one that is sent twice is no proof. The name is lower case. */
  header(name: string): readonly string[]
  /**
   * The whole body, asked for once a proof holds; undefined if it is longer than the server reads. Absent if the request
   * has none. A payment that is given back is good for the same body alone.
   */
  body?(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** Address of the peer, or what stands for it behind a proxy: bounds on what one client may ask for go by it. */
  readonly client?: string
  readonly signal: AbortSignal
}

/** `payment` of a response: the contract's two members, and more. */
export interface AcceptedPayment {
  readonly isValid: true
  readonly txHash: Hex
  readonly payer: Hex
}

/** The request is answered with this, and the resource stays where it is. */
export interface Refusal {
  readonly kind: 'refused'
  /** 402; 204 for OPTIONS; 413 for a body that is not read whole; 503 where neither is known, since the chain or the settler cannot be asked. */
  readonly status: number
  /** Of a proof that was shown. */
  readonly reason?: InvalidReason
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Which of the three protocols a proof is of. */
export type ProofProtocol = 'contract' | 'x402-v1' | 'x402-v2'

/** Paid and claimed: the resource may be served. One of `delivered`, `failed` and `released` must be called. */
export interface Admission {
  readonly kind: 'admitted'
  readonly payment: AcceptedPayment
  readonly protocol: ProofProtocol
  /** Of the response, beside those of the resource: no-store, Vary, x402's receipts. */
  readonly headers: Readonly<Record<string, string>>
  /** The response is out, whole. */
  delivered(): Promise<void>
  /** It was tried, and there was nothing to serve: the payer may try again, as often as a payment buys. */
  failed(): Promise<void>
  /** Nothing was tried: the payer may ask again with the same proof. */
  released(): Promise<void>
}

/**
 * Decides on requests for priced resources. HEAD and OPTIONS of a resource are answered without it being served and
 * without a proof being spent.
 */
export interface PaymentGate {
  decide(resource: PricedResource, request: GateRequest): Promise<Refusal | Admission>
}
