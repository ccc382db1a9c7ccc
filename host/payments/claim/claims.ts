import type { Hex } from '../../base/hex.ts'

/**
 * What makes a payment one payment: the chain with the hash of its transaction, or for an authorization of EIP-3009
 * with keccak256(asset, from, nonce). 32 bytes, lower case.
 */
export interface ClaimKey {
  readonly chainId: bigint
  readonly kind: 'transfer' | 'authorization'
  readonly id: Hex
}

/** What is claimed: who paid what for which request. */
export interface ClaimFacts {
  /** The configured path. */
  readonly resource: string
  /** Method and full path with query of the request: a claim that was not delivered is open for it alone. */
  readonly request: string
  readonly payer: Hex
  readonly payTo: Hex
  readonly asset: Hex
  readonly amount: bigint
}

/**
 * claimed: nothing has been served for it yet. settled: an authorization was carried out, nothing served yet.
 * delivered: the response is out. A claim whose process ended before `delivered`, and one that was released since what
 * was paid for could not be served, may be claimed again for the same request.
 */
export type ClaimState = 'claimed' | 'settled' | 'delivered' | 'released'

export interface ClaimRecord extends ClaimFacts {
  readonly key: ClaimKey
  readonly state: ClaimState
  /** The transaction that moved the tokens; absent until an authorization is settled. */
  readonly txHash?: Hex
  /** Milliseconds since 1970. */
  readonly claimedAt: number
  readonly deliveredAt?: number
  /** Transaction that paid it back, and when, as `lockstep payments refund` noted it. */
  readonly refund?: { readonly txHash: Hex; readonly at: number }
}

export type ClaimOutcome =
  /** Durable, and nobody else's. `record` is what an earlier attempt has left. */
  | { readonly won: true; readonly record: ClaimRecord }
  | { readonly won: false; readonly reason: 'spent' | 'in progress' | 'other request' }

/** Claims on disk, shared by every process that opens the same folder. Each promise resolves once the disk has it. */
export interface Claims {
  claim(key: ClaimKey, facts: ClaimFacts, txHash?: Hex): Promise<ClaimOutcome>
  /** Notes the transaction before it is sent, so that a crash does not lose it. */
  settling(key: ClaimKey, txHash: Hex): Promise<void>
  settled(key: ClaimKey): Promise<void>
  delivered(key: ClaimKey): Promise<void>
  /** Gives a claim back: what was paid for could not be served, or the payment turned out to be none. */
  release(key: ClaimKey): Promise<void>
  close(): Promise<void>
}
