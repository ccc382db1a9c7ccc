import type { Hex } from '../../base/hex.ts'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import type { TransactionStatus } from '../protocol/chain-shapes.ts'
import type { WebhookOutbox } from '../webhook/outbox.ts'
import type { IncludedTransaction } from './evm-node.ts'
import type { StoredTransaction, TransactionStore } from './transaction-store.ts'

/** Statuses that have a webhook event. */
type EventStatus = Exclude<TransactionStatus, 'pending' | 'finalized'> | 'created' | 'still_pending'

const WAITING: readonly TransactionStatus[] = ['pending', 'broadcasted']
const EXECUTED: readonly TransactionStatus[] = ['confirmed', 'execution_reverted']

function isWaiting({ status, is_open }: StoredTransaction): boolean {
  return is_open === 1 && WAITING.includes(status)
}

/**
 * State transitions of transactions, each committed together with its event. A transition that no longer applies,
 * because another came first, does nothing.
 */
export class TransactionProgress {
  readonly #store: TransactionStore
  readonly #commits: GroupCommit
  readonly #outbox: WebhookOutbox
  /**
   * Called after a transition of a transaction with a nonce. `isUsed`: whether a transaction with that nonce still
   * waits.
   */
  readonly #onStep: (row: StoredTransaction, nonce: number, isUsed: boolean) => void

  constructor(
    store: TransactionStore,
    commits: GroupCommit,
    outbox: WebhookOutbox,
    onStep: (row: StoredTransaction, nonce: number, isUsed: boolean) => void,
  ) {
    this.#store = store
    this.#commits = commits
    this.#outbox = outbox
    this.#onStep = onStep
  }

  /** Queues the event of a transition, within the same database transaction. */
  queueEvent(
    row: StoredTransaction,
    status: EventStatus,
    more: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#outbox.put(row.app_id, {
      type: `transaction.${status}`,
      wallet_id: row.wallet_id,
      transaction_id: row.id,
      caip2: row.caip2,
      transaction_hash: row.hash,
      ...(row.reference_id === null ? {} : { reference_id: row.reference_id }),
      ...more,
    })
  }

  /** A node has accepted it. */
  broadcasted(id: string): Promise<void> {
    return this.#step(id, (row) => {
      if (!isWaiting(row)) return
      this.#store.setMissed(id, 0)
      if (row.status !== 'pending') return
      this.#store.setBroadcasted(id)
      this.queueEvent(row, 'broadcasted')
    })
  }

  /** A block includes one of its attempts, which excludes all others with its nonce. */
  executed(id: string, attempt: Hex, { succeeded, block }: IncludedTransaction): Promise<void> {
    return this.#step(id, (row) => {
      if (row.status === 'finalized') return
      const status = succeeded ? 'confirmed' : 'execution_reverted'
      this.#store.setExecuted(id, attempt, status, block)
      if (row.status !== status || row.hash !== attempt)
        this.queueEvent({ ...row, hash: attempt }, status)
      if (row.nonce === null) return
      for (const other of this.#store.waitingAt(row.caip2, row.address, row.nonce)) {
        this.#end(other, 'replaced', `${attempt} was executed with the same nonce`)
      }
    })
  }

  /** Its block is no longer part of the chain. */
  returned(id: string): Promise<void> {
    return this.#step(id, (row) => {
      if (!EXECUTED.includes(row.status) || row.is_open === 0) return
      this.#store.setBroadcasted(id)
      this.queueEvent(row, 'broadcasted')
    })
  }

  /** A developer rolled back its block, which only development chains allow: its nonce is free. */
  removed(id: string, problem: string): Promise<void> {
    return this.#step(id, (row) => {
      if (EXECUTED.includes(row.status) || row.status === 'finalized') {
        this.#end(row, 'failed', problem)
      }
    })
  }

  finalized(id: string): Promise<void> {
    return this.#step(id, (row) => {
      if (row.is_open === 0) return
      this.#store.setFinal(id, row.status === 'confirmed' ? 'finalized' : row.status)
    })
  }

  /** It will not be executed, according to the chain's node. */
  ended(
    id: string,
    status: 'failed' | 'replaced' | 'provider_error',
    problem: string,
  ): Promise<void> {
    return this.#step(id, (row) => {
      if (isWaiting(row)) this.#end(row, status, problem)
    })
  }

  missed(id: string, count: number): Promise<void> {
    return this.#step(id, (row) => {
      if (isWaiting(row)) this.#store.setMissed(id, count)
    })
  }

  stillPending(id: string): Promise<void> {
    return this.#step(id, (row) => {
      if (!isWaiting(row) || row.was_told === 1) return
      this.#store.setStillPendingSent(id)
      this.queueEvent(row, 'still_pending', { transaction_request: requestOf(row) })
    })
  }

  #end(
    row: StoredTransaction,
    status: 'failed' | 'replaced' | 'provider_error',
    problem: string,
  ): void {
    this.#store.setEnded(row.id, status, problem)
    this.#store.dropIdentityOf(row.id)
    this.queueEvent(row, status, { problem })
  }

  async #step(id: string, work: (row: StoredTransaction) => void): Promise<void> {
    const row = await this.#commits.run(() => {
      const found = this.#store.find(id)
      if (found !== undefined) work(found)
      return found
    })
    if (row === undefined || row.nonce === null) return
    const { caip2, address, nonce } = row
    this.#onStep(row, nonce, this.#store.waitingAt(caip2, address, nonce).length > 0)
  }
}

/** Returns the transaction as requested, with the filled fields. */
function requestOf({ request, filled }: StoredTransaction): Readonly<Record<string, unknown>> {
  const { chainId, nonce, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = JSON.parse(
    filled ?? '{}',
  ) as Record<string, string | undefined>
  return {
    ...JSON.parse(request ?? '{}'),
    chain_id: Number(chainId),
    nonce: Number(nonce),
    gas_limit: quantity(gas),
    gas_price: quantity(gasPrice),
    max_fee_per_gas: quantity(maxFeePerGas),
    max_priority_fee_per_gas: quantity(maxPriorityFeePerGas),
  }
}

function quantity(text: string | undefined): Hex | undefined {
  return text === undefined ? undefined : `0x${BigInt(text).toString(16)}`
}
