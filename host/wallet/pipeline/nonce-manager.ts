import type { Hex } from '../../base/hex.ts'
import { Mutex } from '../../base/mutex.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { EvmNode } from './evm-node.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Maximum number of queued sends of one account. */
const MAX_WAITING = 1_000

/**
 * Nonce manager of one account on one chain. One transaction at a time gets its nonce, is signed, stored and
 * broadcast. A nonce counts as used once signed bytes with it are on disk. A transaction rejected before that leaves
 * no gap; one rejected after that frees its nonce for the next.
 */
export class NonceManager {
  readonly caip2: string
  readonly address: Hex
  readonly #node: EvmNode
  readonly #store: TransactionStore
  readonly #trustMs: number
  readonly #followRemovals: () => Promise<unknown>
  /** Nonces of signed transactions that wait for inclusion in a block. */
  readonly #used: Set<number>
  readonly #mutex = new Mutex()
  #waiting = 0
  #heard: { readonly latest: number; readonly pending: number; readonly at: number } | undefined

  constructor(
    caip2: string,
    address: Hex,
    node: EvmNode,
    store: TransactionStore,
    trustMs: number,
    followRemovals: () => Promise<unknown>,
  ) {
    this.#trustMs = trustMs
    this.#followRemovals = followRemovals
    this.caip2 = caip2
    this.address = address
    this.#node = node
    this.#store = store
    this.#used = new Set(store.waitingNonces(caip2, address))
  }

  /** True if the object holds no state worth keeping. */
  get isIdle(): boolean {
    return this.#waiting === 0 && this.#used.size === 0
  }

  /** Runs `work`, which takes a nonce, after all earlier work. @throws WalletError rate_limited */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new WalletError(
        'rate_limited',
        `${MAX_WAITING} transactions of ${this.address} are already queued`,
      )
    }
    this.#waiting++
    try {
      return await this.#mutex.runExclusive(work)
    } finally {
      this.#waiting--
    }
  }

  use(nonce: number): void {
    this.#used.add(nonce)
  }

  /**
   * Frees the nonce of a transaction that was executed or dropped. If the chain has not used it, the next one gets
   * it.
   */
  release(nonce: number): void {
    this.#used.delete(nonce)
  }

  /** Discards the cached nonces, so that the chain is asked again. */
  dropCachedNonces(): void {
    this.#heard = undefined
  }

  /**
   * Returns the lowest free nonce: unused by blocks, by our waiting transactions and by others in the pool. Local
   * knowledge corrects a node that lags. A node that reports too high a nonce causes a gap, which the next
   * transactions fill.
   */
  async next(): Promise<number> {
    await this.#followRemovals()
    const { latest, pending } = await this.#hear()
    let nonce = Math.max(latest, this.#store.executedUpTo(this.caip2, this.address))
    while (nonce < pending || this.#used.has(nonce)) nonce++
    return nonce
  }

  /**
   * Checks a nonce that the caller chose: the next one, or that of a waiting transaction to replace.
   * @throws WalletError invalid_data
   */
  async checkChosenNonce(nonce: number): Promise<number> {
    await this.#followRemovals()
    if (this.#used.has(nonce)) return nonce
    const next = await this.next()
    const { latest } = await this.#hear()
    const lowest = Math.max(latest, this.#store.executedUpTo(this.caip2, this.address))
    if (nonce < lowest) {
      throw new WalletError('invalid_data', `nonce too low: next nonce ${next}, tx nonce ${nonce}`)
    }
    if (nonce > next) {
      throw new WalletError(
        'invalid_data',
        `nonce too high: next nonce ${next}, tx nonce ${nonce}; it would wait for those between: leave nonce out`,
      )
    }
    return nonce
  }

  async #hear(): Promise<{ readonly latest: number; readonly pending: number }> {
    const now = performance.now()
    const known = this.#heard
    if (known !== undefined && this.#used.size > 0 && now - known.at < this.#trustMs) return known
    const [latest, pending] = await Promise.all([
      this.#node.nonce(this.address, 'latest'),
      this.#node.nonce(this.address, 'pending'),
    ])
    this.#heard = { latest, pending, at: now }
    return this.#heard
  }
}
