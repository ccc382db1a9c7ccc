import type { Hex } from '../../base/hex.ts'

/**
 * A payment for one request, from before it is signed or sent until its response arrives. Plain JSON, so that a store
 * can save it as text; amounts are decimal. intended: a transaction may be in flight, and its hash is unknown. sent:
 * the hash is known. confirmed: the transfer is in a block. authorized: an authorization is signed, which the seller
 * executes.
 */
export interface Payment {
  /** 16 random bytes. */
  readonly id: Hex
  /** Digest of method, URL, body and payer of its request. */
  readonly request: Hex
  readonly method: string
  readonly url: string
  readonly state: 'intended' | 'sent' | 'confirmed' | 'authorized'
  readonly payer: Hex
  readonly payTo: Hex
  readonly asset: Hex
  /** In the asset's smallest unit. */
  readonly amount: string
  readonly chainId: number
  /** As the seller named it. */
  readonly network: string
  /** Milliseconds since 1970. */
  readonly madeAt: number
  /** Seconds from `madeAt` within which it must be in a block. */
  readonly maxTimeoutSeconds: number
  readonly transfer?: Transfer
  readonly authorization?: Authorization
  /** The header that proves it: set for an authorization, and for a transfer in a block. */
  readonly proof?: { readonly header: string; readonly value: string }
}

/** The transaction of a payment. */
export interface Transfer {
  readonly nonce: number
  readonly data: Hex
  /** Latest block number when it was made: no earlier block has it. */
  readonly sinceBlock: Hex
  /** Signed transaction, if the wallet signs without sending; it may be sent repeatedly. */
  readonly raw?: Hex
  readonly txHash?: Hex
  /** What the seller requires besides the transfer. */
  readonly binding: 'bearer' | 'reference' | 'signed'
  readonly reference?: string
}

/** The fields that identify an EIP-3009 authorization. */
export interface Authorization {
  readonly nonce: Hex
  /** Seconds since 1970. */
  readonly validBefore: number
}
