import type { Hex } from '../../base/hex.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { EvmNode } from './evm-node.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Sends of one account that wait for their turn. */
const MAX_WAITING = 1_000

/**
 * The nonces of one account on one chain. One transaction at a time gets its nonce, is signed, stored and handed in:
 * a nonce counts as used once signed bytes with it are on the disk, so that what was refused before leaves no gap, and
 * what was refused afterwards leaves its nonce to the next.
 */
export class AccountLane {
  readonly caip2: string
  readonly address: Hex
  readonly #node: EvmNode
  readonly #store: TransactionStore
  readonly #trustMs: number
  readonly #followRemovals: () => Promise<unknown>
  /** Nonces of signed transactions that wait for their block. */
  readonly #used: Set<number>
  #turn: Promise<unknown> = Promise.resolve()
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

  /** True where nothing would be lost with it. */
  get isIdle(): boolean {
    return this.#waiting === 0 && this.#used.size === 0
  }

  /** Runs what takes a nonce, after all that came before. @throws WalletError rate_limited */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new WalletError(
        'rate_limited',
        `${MAX_WAITING} transactions of ${this.address} wait for their turn`,
      )
    }
    this.#waiting++
    const before = this.#turn
    const mine = before.then(work)
    this.#turn = mine.catch(() => {})
    try {
      return await mine
    } finally {
      this.#waiting--
    }
  }

  use(nonce: number): void {
    this.#used.add(nonce)
  }

  /** Executed, or given up: where the chain has not passed it, the next transaction takes it. */
  release(nonce: number): void {
    this.#used.delete(nonce)
  }

  /** Asks the chain anew: it has refused something. */
  forget(): void {
    this.#heard = undefined
  }

  /**
   * The lowest nonce that nobody uses: no block has it, no waiting transaction of ours, no other one in the pool.
   * A node that is behind is corrected by what is known here; one that is ahead of the truth leaves a gap that the next
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
   * The nonce that the caller names: the next one, or that of a transaction that it replaces.
   * @throws WalletError invalid_data
   */
  async named(nonce: number): Promise<number> {
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
