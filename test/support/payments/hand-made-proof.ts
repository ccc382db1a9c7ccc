import type { Hex } from 'viem'

/** Encodes a value as base64 of JSON, the form of every x402 header. A string is encoded as it is. */
export function header64(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.from(text).toString('base64')
}

/** Returns the content of v1's `X-PAYMENT`: a transfer's facts, or an authorization. */
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

/** Returns the content of v2's `PAYMENT-SIGNATURE`, for the first requirement in a challenge header. */
export function secondVersionProof(challenge: string, payload: SignedAuthorization): object {
  const { resource, accepts } = JSON.parse(Buffer.from(challenge, 'base64').toString())
  return { x402Version: 2, resource, accepted: accepts[0], payload }
}
