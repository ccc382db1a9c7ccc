import { formatBase64 } from '../../base/base64.ts'

/** Headers of the three protocols, in lower case. The contract's proof and that of x402 v1 are told apart by their payload. */
export const PAYMENT_HEADERS = {
  /** Request: the contract's proof, or one of x402 v1. */
  proof: 'x-payment',
  /** Request: a proof of x402 v2. */
  signature: 'payment-signature',
  /** 402: what is asked for, in x402 v2. */
  required: 'payment-required',
  /** Response: what was settled, in x402 v1, and of the contract's proof. */
  receipt: 'x-payment-response',
  /** Response: what was settled, in x402 v2. */
  receiptV2: 'payment-response',
} as const

const encoder = new TextEncoder()

/** A value as a header carries it: base64 of its JSON. */
export function encodeHeader(value: unknown): string {
  return formatBase64(encoder.encode(JSON.stringify(value)))
}
