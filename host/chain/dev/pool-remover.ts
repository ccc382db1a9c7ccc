import type { Transaction } from '../../evm/chain-types/transaction.ts'
import type { Mempool } from '../consensus/mempool/mempool.ts'
import type { DevPool } from './dev-chain.ts'

/** Removes transactions from a mempool. */
export class PoolRemover implements DevPool {
  readonly #mempool: Mempool

  constructor(mempool: Mempool) {
    this.#mempool = mempool
  }

  drop(hash: Uint8Array): boolean {
    const transaction = this.#mempool.get(hash)
    if (transaction === undefined) return false
    return this.#discard([transaction]) > 0
  }

  dropAll(): number {
    const senders = [...this.#mempool.pending(), ...this.#mempool.queued()]
    return this.#discard(senders.flatMap(({ transactions }) => transactions))
  }

  dropOf(sender: Uint8Array): number {
    const { pending, queued } = this.#mempool.of(sender)
    return this.#discard([...pending, ...queued])
  }

  #discard(transactions: readonly Transaction[]): number {
    if (transactions.length > 0) this.#mempool.discard(transactions)
    return transactions.length
  }
}
