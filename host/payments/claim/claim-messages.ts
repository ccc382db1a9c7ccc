import type { Hex } from '../../base/hex.ts'
import type { PlainError } from '../../base/plain-error.ts'
import type { ClaimFacts, ClaimKey, ClaimOutcome, LostReason, TokenUnit } from './claims.ts'

/** A change of one claim. */
export type ClaimWork =
  | TokenWork
  | {
      readonly kind: 'claim'
      readonly key: ClaimKey
      readonly facts: ClaimFacts
      readonly maxAttempts: number
    }
  | { readonly kind: 'obstacle'; readonly key: ClaimKey; readonly facts: ClaimFacts }
  | { readonly kind: 'settling' | 'settled'; readonly key: ClaimKey; readonly txHash: Hex }
  | { readonly kind: 'delivered' | 'release' | 'failed'; readonly key: ClaimKey }
  | { readonly kind: 'removed'; readonly chainId: bigint; readonly txHashes: readonly Hex[] }

/** Stores a token's unit. */
export interface TokenWork {
  readonly kind: 'describe'
  readonly chainId: bigint
  readonly asset: Hex
  readonly unit: TokenUnit
}

/** A message to the claim thread: `open` comes first and `close` last. */
export type ClaimRequest =
  | {
      readonly kind: 'open'
      readonly folder: string
      readonly own: string
      readonly isShared: boolean
    }
  /** Changes to write as one transaction, in their order. */
  | { readonly kind: 'write'; readonly works: readonly ClaimWork[] }
  | { readonly kind: 'close' }

/** Result of one change. */
export interface ClaimDone {
  /** For a claim. */
  readonly outcome?: ClaimOutcome
  /** For an obstacle query. */
  readonly obstacle?: LostReason
  readonly error?: PlainError
}
