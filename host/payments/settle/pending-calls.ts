import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import type {
  SenderAttempt,
  SenderEnd,
  SenderStore,
  WaitingTransaction,
} from '../../client/transaction-sender/sender-ports.ts'
import type { PaymentReceipt } from '../chain/payment-chain.ts'
import type { SettlementFee } from './settlement-fees.ts'

/** A contract call to make in a transaction of the account. */
export interface SettlementCall {
  /** 20 bytes. */
  readonly to: Uint8Array
  readonly data: Uint8Array
  /** Gas limit. */
  readonly gas: bigint
}

/**
 * included: a canonical block has a transaction with the call. displaced: another transaction took its nonce, so the
 * call was not made.
 */
export type SettlementOutcome =
  | { readonly kind: 'included'; readonly txHash: Hex; readonly receipt: PaymentReceipt }
  | { readonly kind: 'displaced' }

export interface SettlementAttempt extends SenderAttempt, SettlementFee {}

/** A call whose transaction waits for a block. */
export interface PendingCall {
  readonly id: string
  readonly nonce: number
  /** Undefined if the nonce only has to be used up. */
  readonly call: SettlementCall | undefined
  /** True if another process has a transaction with the nonce in the pool. */
  readonly isForeign: boolean
  /** Milliseconds of `performance.now()`. */
  readonly signedAt: number
  /** In the order of their fees. */
  readonly attempts: SettlementAttempt[]
  /** Awaited with the hash of each attempt before it is sent. */
  readonly announce: (txHash: Hex) => Promise<void>
  readonly settle: (outcome: SettlementOutcome) => void
  readonly fail: (reason: unknown) => void
}

interface Followed extends PendingCall {
  isAccepted: boolean
  missed: number
}

/**
 * The pending calls of a settler, in memory. Their hashes are on disk with the claims, and after a crash the logs of the
 * token tell whether an authorization was executed. The pending transactions of an earlier process are awaited first.
 */
export class PendingCalls implements SenderStore<PaymentReceipt> {
  readonly #byId = new Map<string, Followed>()
  readonly #byNonce = new Map<number, Followed>()
  readonly #release: (nonce: number) => void
  #executedUpTo = 0

  /** @param release frees the nonce of a call that is no longer pending */
  constructor(release: (nonce: number) => void) {
    this.#release = release
  }

  add(call: PendingCall): void {
    const followed = { ...call, isAccepted: false, missed: 0 }
    this.#byId.set(call.id, followed)
    this.#byNonce.set(call.nonce, followed)
  }

  at(nonce: number): PendingCall | undefined {
    return this.#byNonce.get(nonce)
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  /** Number of nonces below a limit that replace a transaction of another process. */
  countForeign(below: number): number {
    let count = 0
    for (const { isForeign, nonce } of this.#byId.values()) if (isForeign && nonce < below) count++
    return count
  }

  failAll(reason: unknown): void {
    for (const each of [...this.#byId.values()]) this.#remove(each).fail(reason)
  }

  /** Called after a development chain was rolled back. */
  forgetExecuted(): void {
    this.#executedUpTo = 0
  }

  waiting(limit: number): readonly WaitingTransaction[] {
    return [...this.#byId.values()].sort((a, b) => a.nonce - b.nonce).slice(0, limit)
  }

  waitingAt(nonce: number): readonly WaitingTransaction[] {
    const found = this.#byNonce.get(nonce)
    return found === undefined ? [] : [found]
  }

  attempts(id: string): readonly SenderAttempt[] {
    return this.#byId.get(id)?.attempts ?? []
  }

  attemptsAt(nonce: number): readonly { readonly id: string; readonly hash: Hex }[] {
    const found = this.#byNonce.get(nonce)
    return found?.attempts.map(({ hash }) => ({ id: found.id, hash })) ?? []
  }

  executedUpTo(): number {
    return this.#executedUpTo
  }

  async accepted(id: string): Promise<void> {
    const found = this.#byId.get(id)
    if (found !== undefined) Object.assign(found, { isAccepted: true, missed: 0 })
  }

  async included(id: string, txHash: Hex, receipt: PaymentReceipt): Promise<void> {
    const found = this.#byId.get(id)
    if (found === undefined) return
    this.#executedUpTo = Math.max(this.#executedUpTo, found.nonce + 1)
    this.#remove(found).settle({ kind: 'included', txHash, receipt })
  }

  async missed(id: string, count: number): Promise<void> {
    const found = this.#byId.get(id)
    if (found !== undefined) found.missed = count
  }

  async ended(id: string, end: SenderEnd, reason: string): Promise<void> {
    const found = this.#byId.get(id)
    if (found === undefined) return
    const { settle, fail } = this.#remove(found)
    if (end === 'refused' || end === 'unanswered') {
      fail(new LockstepError('TRANSACTION_REJECTED', reason))
    } else settle({ kind: 'displaced' })
  }

  #remove(call: Followed): Followed {
    this.#byId.delete(call.id)
    this.#byNonce.delete(call.nonce)
    this.#release(call.nonce)
    return call
  }
}
