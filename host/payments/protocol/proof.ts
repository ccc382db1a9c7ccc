import type { Hex } from '../../base/hex.ts'

/**
 * The contract's proof: a transfer that its payer has sent (header `X-Payment`, payload with `txHash`). Hex is lower
 * case.
 */
export interface TransferProof {
  readonly kind: 'transfer'
  /** Hash of the transaction, 32 bytes. */
  readonly txHash: Hex
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly from: Hex
  /** Reference of the challenge that is answered; bindings `reference` and `signed` ask for it. */
  readonly reference?: string
  /** EIP-712 signature of the payer over the request, 65 bytes; binding `signed` asks for it. */
  readonly signature?: Hex
}

/** x402's proof of scheme `exact`: an EIP-3009 authorization that whoever holds it may carry out. */
export interface AuthorizationProof {
  readonly kind: 'authorization'
  /** 1: header `X-PAYMENT`. 2: header `PAYMENT-SIGNATURE`. */
  readonly version: 1 | 2
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  /** Seconds since 1970, both excluded. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  /** 32 bytes. */
  readonly nonce: Hex
  /** Of 65 bytes for an account with a key, of any length for one that is a contract (ERC-1271). */
  readonly signature: Hex
  /** v2 alone: the requirement that the payer chose, and the URL that it was asked for, as they were sent. */
  readonly accepted?: unknown
  readonly resourceUrl?: string
}

export type PaymentProof = TransferProof | AuthorizationProof
