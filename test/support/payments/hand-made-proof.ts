import type { Hex } from 'viem'

/** Base64 of JSON, the form of every header of x402, of a value or of a text that need not be JSON. */
export function header64(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.from(text).toString('base64')
}

/** What v1 sends in `X-PAYMENT`: a transfer's facts, or an authorization. */
export function firstVersionProof(network: string, payload: object): object {
  return { x402Version: 1, scheme: 'exact', network, payload }
}

/** A signed EIP-3009 authorization, numbers as the decimal strings of x402. */
export interface SignedAuthorization {
  readonly signature: Hex
  readonly authorization: {
    readonly from: Hex
    readonly to: Hex
    readonly value: string
    readonly validAfter: string
    readonly validBefore: string
    readonly nonce: Hex
  }
}

/** What v2 sends in `PAYMENT-SIGNATURE`, for the first requirement of the challenge that its header carried. */
export function secondVersionProof(challenge: string, payload: SignedAuthorization): object {
  const { resource, accepts } = JSON.parse(Buffer.from(challenge, 'base64').toString())
  return { x402Version: 2, resource, accepted: accepts[0], payload }
}
