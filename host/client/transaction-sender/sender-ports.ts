import type { Hex } from '../../base/hex.ts'
import type { BroadcastAnswer } from './broadcast-answer.ts'

/** The chain of a sender. `Inclusion` is what its users need of a receipt. */
export interface SenderNode<Inclusion> {
  /** Next nonce of an account: by the latest final state, or with the pool's transactions. */
  nonce(address: Hex, at: 'latest' | 'pending'): Promise<number>
  send(raw: Hex): Promise<BroadcastAnswer>
  /** Returns undefined if no canonical block has the transaction. */
  includedTransaction(hash: Hex): Promise<Inclusion | undefined>
  /** True if the node has the transaction, in its pool or in a block. */
  knows(hash: Hex): Promise<boolean>
}

/** Signed bytes. */
export interface SenderAttempt {
  /** Lower case. */
  readonly hash: Hex
  readonly raw: Hex
}

/** A signed transaction that waits for a block. */
export interface WaitingTransaction {
  readonly id: string
  readonly nonce: number
  /** True after a node has accepted one of its attempts. */
  readonly isAccepted: boolean
  /** Checks that found its nonce used, but none of its attempts in a block. */
  readonly missed: number
  /** By the clock of the policy. */
  readonly signedAt: number
}

/**
 * Why a transaction ended without a block.
 * - `refused`: the node refuses it.
 * - `displaced`: the pool has another transaction with its nonce.
 * - `replaced`: a block has another transaction with its nonce.
 * - `stranded`: a development chain was rolled back to before an earlier nonce.
 * - `unanswered`: the node answered with errors of its own for too long.
 */
export type SenderEnd = 'refused' | 'displaced' | 'replaced' | 'stranded' | 'unanswered'

/**
 * The transactions of one account. An attempt is in the store before it is sent, so a process that was killed finds
 * everything that it may have sent. Each change reports to the sender which nonces are used (`use`, `release`).
 */
export interface SenderStore<Inclusion> {
  /** Lowest nonce first. */
  waiting(limit: number): readonly WaitingTransaction[]
  waitingAt(nonce: number): readonly WaitingTransaction[]
  /** Returns the attempts in order. The last one is broadcast. */
  attempts(id: string): readonly SenderAttempt[]
  /** Returns all attempts with a nonce that a block may include. */
  attemptsAt(nonce: number): readonly { readonly id: string; readonly hash: Hex }[]
  /** Returns the nonce after the highest one known to be in a block. */
  executedUpTo(): number
  accepted(id: string): Promise<unknown>
  included(id: string, hash: Hex, inclusion: Inclusion): Promise<unknown>
  missed(id: string, count: number): Promise<unknown>
  ended(id: string, end: SenderEnd, reason: string): Promise<unknown>
}

export interface SenderPolicy {
  /** How long the chain's nonces are cached, ms. */
  readonly trustMs: number
  /**
   * True if they are cached without transactions in flight too. Then a transaction conflicts with one that another
   * process sent meanwhile, and does not follow it: its caller can look first whether both do the same.
   */
  readonly trustsWhenIdle: boolean
  /** Age at which a transaction ends if the node answers with errors of its own, ms. */
  readonly giveUpMs: number
  /** True if a transaction ends when the pool is full; otherwise it is sent again. */
  readonly endsIfFull: boolean
  /** Milliseconds. */
  readonly now: () => number
  /** Resolves after the store reflects a rolled back development chain. Awaited before a nonce is chosen. */
  readonly followRemovals: () => Promise<unknown>
}
