import type { Hex } from '../../base/hex.ts'

/**
 * Identity of a payment: chain id and 32 bytes, lower case. For a transfer these are the transaction hash, for an
 * EIP-3009 authorization keccak256(asset, from, nonce).
 */
export interface ClaimKey {
  /** Below 2^64. */
  readonly chainId: bigint
  readonly kind: 'transfer' | 'authorization'
  readonly id: Hex
}

/** What is claimed: payer, payment and request. */
export interface ClaimFacts {
  /** The configured path. */
  readonly resource: string
  /** Method and full path with query. An undelivered claim is valid only for this request. */
  readonly request: string
  /** SHA-256 of the request's body, which is part of the request; `0x` or absent if it has none. */
  readonly body?: Hex
  readonly payer: Hex
  readonly payTo: Hex
  readonly asset: Hex
  readonly amount: bigint
}

/**
 * claimed: nothing served yet. settled: the authorization is executed, nothing served yet. delivered: the response
 * was sent. A claim may be won again for the same request if it was released, or if its process ended before
 * `delivered`.
 */
export type ClaimState = 'claimed' | 'settled' | 'delivered' | 'released'

export interface ClaimRecord extends ClaimFacts {
  readonly key: ClaimKey
  /** For a claim just won: `settled` if an earlier attempt settled it, else `claimed`. */
  readonly state: ClaimState
  /** Whether the tokens have moved: always for a transfer, after settlement for an authorization. */
  readonly isPaid: boolean
  /**
   * Transaction that moved the tokens. For an unpaid authorization: the last settlement transaction, which may have
   * been sent; absent if there was none.
   */
  readonly txHash?: Hex
  /** Milliseconds since 1970. */
  readonly claimedAt: number
  readonly deliveredAt?: number
  readonly refund?: ClaimRefund
}

/** The transaction that refunded a payment, and when that was recorded (milliseconds since 1970). */
export interface ClaimRefund {
  readonly txHash: Hex
  readonly at: number
  /** The signed transaction, if it is sent from here and not known to be in a block. */
  readonly raw?: Hex
}

/** How to display amounts of a token. */
export interface TokenUnit {
  /** Such as `USDC`. */
  readonly symbol: string
  /** Decimals: 0 to 255. */
  readonly decimals: number
}

export type ClaimOutcome =
  /** Durable and exclusive. `record` is the state left by an earlier attempt. */
  | { readonly won: true; readonly record: ClaimRecord }
  | { readonly won: false; readonly reason: LostReason }

/** `refunded`: the payer has the money back. `exhausted`: the payment's attempts to be served have all failed. */
export type LostReason = 'spent' | 'refunded' | 'in progress' | 'other request' | 'exhausted'

/**
 * Claims on disk, shared by every process that opens the same folder. Each promise resolves after the disk write, and
 * rejects with a LockstepError if it fails; the request must not be served then.
 */
export interface Claims {
  /** @param maxAttempts failed attempts after which the payment is used up; default: unlimited */
  claim(key: ClaimKey, facts: ClaimFacts, maxAttempts?: number): Promise<ClaimOutcome>
  /** Returns why `claim` would be lost now; undefined if it would be won. */
  obstacle(key: ClaimKey, facts: ClaimFacts): Promise<LostReason | undefined>
  /**
   * Returns whether a claim that this process has won is still its own. Servers of one database take it over if the
   * process was without the database for long. What it paid for must not be served then.
   */
  isHeld(key: ClaimKey): boolean
  /** Records the transaction before it is sent, so that a crash does not lose it. */
  settling(key: ClaimKey, txHash: Hex): Promise<void>
  /** @param txHash transaction that moved the tokens; differs from that of `settling` if another sender was faster */
  settled(key: ClaimKey, txHash: Hex): Promise<void>
  /** Awaiting it is optional: if the disk rejects the write, it is retried with the next claims. */
  delivered(key: ClaimKey): Promise<void>
  /**
   * Releases a claim that could not be served or whose payment proved invalid. An authorization for which nothing was
   * sent is deleted.
   */
  release(key: ClaimKey): Promise<void>
  /** Releases a claim after a failed attempt to serve it, and counts the attempt. */
  failed(key: ClaimKey): Promise<void>
  /**
   * Deletes claims paid by these transactions after a development chain removed their blocks. Claims in progress
   * stay: they are served at most once, whatever happens to the chain.
   */
  removed(chainId: bigint, txHashes: readonly Hex[]): Promise<void>
  /** Records how to display a token's amounts in the ledger. */
  describe(chainId: bigint, asset: Hex, unit: TokenUnit): Promise<void>
  /** Closes after all pending writes are on disk. Claims neither delivered nor released count as abandoned. */
  close(): Promise<void>
}
