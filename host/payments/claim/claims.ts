import type { Hex } from '../../base/hex.ts'

/**
 * What makes a payment one payment: the chain with the hash of its transaction, or for an authorization of EIP-3009
 * with keccak256(asset, from, nonce). 32 bytes, lower case.
 */
export interface ClaimKey {
  /** Below 2^64. */
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
  /** SHA-256 of the body of the request, which is part of it; `0x` or absent if it has none. */
  readonly body?: Hex
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
  /** Of a claim that has just been won: `settled` where an earlier attempt came that far, else `claimed`. */
  readonly state: ClaimState
  /** The tokens have moved: a transfer's always, those of an authorization once it is settled. */
  readonly isPaid: boolean
  /**
   * The transaction that moved the tokens. Of an authorization that is not paid: the last that was to, which may have
   * been sent; absent before.
   */
  readonly txHash?: Hex
  /** Milliseconds since 1970. */
  readonly claimedAt: number
  readonly deliveredAt?: number
  readonly refund?: ClaimRefund
}

/** The transaction that paid a payment back, and when that was noted: milliseconds since 1970. */
export interface ClaimRefund {
  readonly txHash: Hex
  readonly at: number
}

/** How amounts of a token are written for people. */
export interface TokenUnit {
  /** Such as `USDC`. */
  readonly symbol: string
  /** Digits behind the point: 0 to 255. */
  readonly decimals: number
}

export type ClaimOutcome =
  /** Durable, and nobody else's. `record` is what an earlier attempt has left. */
  | { readonly won: true; readonly record: ClaimRecord }
  | { readonly won: false; readonly reason: LostReason }

/** `exhausted`: as many attempts to serve it have failed as a payment buys. */
export type LostReason = 'spent' | 'in progress' | 'other request' | 'exhausted'

/**
 * Claims on disk, shared by every process that opens the same folder. Each promise resolves once the disk has it, and
 * rejects with a LockstepError where it does not: what was to be claimed must not be served then.
 */
export interface Claims {
  /** @param maxAttempts failed attempts after which the payment is good for no more; default: any number */
  claim(key: ClaimKey, facts: ClaimFacts, maxAttempts?: number): Promise<ClaimOutcome>
  /** Why `claim` would be lost now; undefined if it would be won. */
  obstacle(key: ClaimKey, facts: ClaimFacts): Promise<LostReason | undefined>
  /** Notes the transaction before it is sent, so that a crash does not lose it. */
  settling(key: ClaimKey, txHash: Hex): Promise<void>
  /** @param txHash moved the tokens; another than `settling` has named where somebody else was quicker */
  settled(key: ClaimKey, txHash: Hex): Promise<void>
  /** Nobody has to wait for it: should the disk refuse it, it is written with the next claims that it takes. */
  delivered(key: ClaimKey): Promise<void>
  /**
   * Gives a claim back: what was paid for could not be served, or the payment turned out to be none. Of an
   * authorization for which nothing was ever sent no trace stays.
   */
  release(key: ClaimKey): Promise<void>
  /** Gives a claim back after an attempt to serve it, which is counted. */
  failed(key: ClaimKey): Promise<void>
  /**
   * Forgets what these transactions have paid: the blocks of a development chain that had them were removed. Claims that
   * somebody works on stay: what has been served for them is served once, whatever becomes of the chain meanwhile.
   */
  removed(chainId: bigint, txHashes: readonly Hex[]): Promise<void>
  /** Notes how a token's amounts are written, for the ledger. */
  describe(chainId: bigint, asset: Hex, unit: TokenUnit): Promise<void>
  /** Ends once all that was asked for is on disk. Claims that are neither delivered nor released count as left. */
  close(): Promise<void>
}
