import type { Hex } from '../../base/hex.ts'

/**
 * A payment for one request, from the moment before it is signed or sent until its response is there. It is plain
 * JSON, so that a store can keep it as text: amounts are decimal.
 *
 * intended: a transaction may be on its way, and its hash is not known. sent: the hash is known. confirmed: a block has
 * the transfer. authorized: an authorization is signed, which the seller carries out.
 */
export interface Payment {
  /** 16 random bytes. */
  readonly id: Hex
  /** Digest of method, URL, body and payer: the request that it is for. */
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
  /** Seconds from `madeAt` within which a block must have it. */
  readonly maxTimeoutSeconds: number
  readonly transfer?: Transfer
  readonly authorization?: Authorization
  /** The header that proves it: of an authorization, and of a transfer that a block has. */
  readonly proof?: { readonly header: string; readonly value: string }
}

/** The transaction of a payment. */
export interface Transfer {
  readonly nonce: number
  readonly data: Hex
  /** Number of the newest block when it was made: it is in none before. */
  readonly sinceBlock: Hex
  /** Signed, where the wallet signs without sending: it may be sent any number of times. */
  readonly raw?: Hex
  readonly txHash?: Hex
  /** What the seller wants beside the transfer. */
  readonly binding: 'bearer' | 'reference' | 'signed'
  readonly reference?: string
}

/** The part of an EIP-3009 authorization by which it is found again. */
export interface Authorization {
  readonly nonce: Hex
  /** Seconds since 1970. */
  readonly validBefore: number
}
