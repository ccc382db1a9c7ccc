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

/** A note about a token. */
export interface TokenWork {
  readonly kind: 'describe'
  readonly chainId: bigint
  readonly asset: Hex
  readonly unit: TokenUnit
}

/** Changes to write as one transaction, in their order; none closes the database. */
export type ClaimBatch = readonly ClaimWork[]

/** What became of one change. */
export interface ClaimDone {
  /** Of a claim. */
  readonly outcome?: ClaimOutcome
  /** Of a question for it. */
  readonly obstacle?: LostReason
  readonly error?: PlainError
}

/** An answer to a batch, or to the start of the thread: all of it has failed, or each has an end of its own. */
export interface ClaimAnswer {
  readonly error?: PlainError
  readonly done: readonly ClaimDone[]
}

export interface ClaimWorkerData {
  readonly folder: string
  readonly own: string
  readonly isShared: boolean
}
