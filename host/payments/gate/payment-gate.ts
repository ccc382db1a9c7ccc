import type { Hex } from '../../base/hex.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { PricedResource } from '../protocol/terms.ts'

/** A request for a priced resource, independent of the server framework. */
export interface GateRequest {
  readonly method: string
  /** Absolute, as the client wrote it. */
  readonly url: URL
  /** Returns every value of a header, in order: a repeated one is no proof. The name is lower case. */
  header(name: string): readonly string[]
  /**
   * Reads the whole body, after the proof is verified; undefined if it exceeds the server's limit. Absent if the
   * request has none. A released payment is valid only for the same body.
   */
  body?(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** Address of the peer or, behind a proxy, of the client; per-client limits use it. */
  readonly client?: string
  readonly signal: AbortSignal
}

/** Member `payment` of a response: the contract's two members and the payer. */
export interface AcceptedPayment {
  readonly isValid: true
  readonly txHash: Hex
  readonly payer: Hex
}

/** Response to send instead of the resource. */
export interface PaymentRefusal {
  readonly kind: 'refused'
  /**
   * 402 normally, 204 for OPTIONS, 413 for a body over the limit, 503 if the chain or the settler cannot be reached.
   */
  readonly status: number
  /** Set if a proof was shown. */
  readonly reason?: InvalidReason
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The protocol of a proof. */
export type ProofProtocol = 'contract' | 'x402-v1' | 'x402-v2'

/** Paid and claimed: the resource may be served. Call exactly one of `delivered`, `failed` and `released`. */
export interface Admission {
  readonly kind: 'admitted'
  readonly payment: AcceptedPayment
  readonly protocol: ProofProtocol
  /** Response headers to add to the resource's: no-store, Vary, x402 receipts. */
  readonly headers: Readonly<Record<string, string>>
  /** Returns false if another server may have taken the payment over: answer 503, and call `released`. */
  isHeld(): boolean
  /** Call after the whole response was sent. */
  delivered(): Promise<void>
  /** Call if serving failed: the payer may retry until the payment's attempts are used up. */
  failed(): Promise<void>
  /** Call if serving was not attempted: the payer may retry with the same proof. */
  released(): Promise<void>
}

/**
 * Admits or refuses requests for priced resources. HEAD and OPTIONS are answered without serving the resource or
 * spending a proof.
 */
export interface PaymentGate {
  decide(resource: PricedResource, request: GateRequest): Promise<PaymentRefusal | Admission>
}
