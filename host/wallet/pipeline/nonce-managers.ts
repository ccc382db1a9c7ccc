import type { Hex } from '../../base/hex.ts'
import type { EvmNode } from './evm-node.ts'
import { NonceManager } from './nonce-manager.ts'
import type { TransactionStore } from './transaction-store.ts'

/** The nonce managers by chain and address. Idle ones are dropped. */
export class NonceManagers {
  readonly #store: TransactionStore
  readonly #trustMs: number
  readonly #followRemovals: (caip2: string) => Promise<unknown>
  readonly #lanes = new Map<string, NonceManager>()

  /** @param followRemovals resolves when the store reflects the chain, before a nonce is chosen */
  constructor(
    store: TransactionStore,
    trustMs: number,
    followRemovals: (caip2: string) => Promise<unknown>,
  ) {
    this.#followRemovals = followRemovals
    this.#store = store
    this.#trustMs = trustMs
  }

  of(caip2: string, address: Hex, node: EvmNode): NonceManager {
    const key = laneKey(caip2, address)
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      const follow = () => this.#followRemovals(caip2)
      lane = new NonceManager(caip2, address, node, this.#store, this.#trustMs, follow)
      this.#lanes.set(key, lane)
    }
    return lane
  }

  /** Reports that a nonce is still used (`isUsed`) or free again. */
  settle(caip2: string, address: string, nonce: number, isUsed: boolean): void {
    const lane = this.#lanes.get(laneKey(caip2, address))
    if (lane === undefined) return
    if (isUsed) lane.use(nonce)
    else lane.release(nonce)
    this.releaseIdle(lane)
  }

  /** Discards the cached nonces of a chain. */
  dropCachedNonces(caip2: string): void {
    for (const lane of this.#lanes.values()) if (lane.caip2 === caip2) lane.dropCachedNonces()
  }

  releaseIdle(lane: NonceManager): void {
    if (lane.isIdle) this.#lanes.delete(laneKey(lane.caip2, lane.address))
  }
}

function laneKey(caip2: string, address: string): string {
  return `${caip2} ${address}`
}
