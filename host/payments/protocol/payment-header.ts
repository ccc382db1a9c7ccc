import { formatBase64 } from '../../base/base64.ts'

/** Headers of the three protocols, in lower case. Proofs of the contract and of x402 v1 differ in their payload. */
export const PAYMENT_HEADERS = {
  /** Request: a proof of the contract or of x402 v1. */
  proof: 'x-payment',
  /** Request: an x402 v2 proof. */
  signature: 'payment-signature',
  /** 402: the x402 v2 requirements. */
  required: 'payment-required',
  /** Response: the receipt for x402 v1 and for the contract's proof. */
  receipt: 'x-payment-response',
  /** Response: the receipt for x402 v2. */
  receiptV2: 'payment-response',
} as const

const encoder = new TextEncoder()

/** Encodes a header value: base64 of its JSON. */
export function encodePaymentHeader(value: unknown): string {
  return formatBase64(encoder.encode(JSON.stringify(value)))
}
