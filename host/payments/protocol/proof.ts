import type { Hex } from '../../base/hex.ts'

/**
 * The contract's proof: a transfer sent by the payer (header `X-Payment`, payload with `txHash`). Hex is lower case.
 */
export interface TransferProof {
  readonly kind: 'transfer'
  /** Transaction hash, 32 bytes. */
  readonly txHash: Hex
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly from: Hex
  /** Reference of the challenge; required by bindings `reference` and `signed`. */
  readonly reference?: string
  /** EIP-712 signature of the payer over the request, 65 bytes; required by binding `signed`. */
  readonly signature?: Hex
}

/** x402's proof of scheme `exact`: an EIP-3009 authorization, which any holder may execute. */
export interface AuthorizationProof {
  readonly kind: 'authorization'
  /** 1: header `X-PAYMENT`. 2: header `PAYMENT-SIGNATURE`. */
  readonly version: 1 | 2
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  /** Seconds since 1970, both exclusive. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  /** 32 bytes. */
  readonly nonce: Hex
  /** 65 bytes for a key account, any length for a contract account (ERC-1271). */
  readonly signature: Hex
  /** v2 only: the requirement that the payer chose, and the resource URL, as received. */
  readonly accepted?: unknown
  readonly resourceUrl?: string
}

export type PaymentProof = TransferProof | AuthorizationProof
