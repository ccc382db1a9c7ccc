import { bytesKey } from '../../../../../host/base/bytes.ts'
import type { TransactionGate } from '../../../../../host/chain/consensus/abci/transaction-gate.ts'
import type {
  Broadcast,
  BroadcastOutcome,
} from '../../../../../host/chain/consensus/gossip/comet-broadcast.ts'

/**
 * CometBFT's `flood` mempool by its own rules (`mempool/clist_mempool.go`, `mempool/reactor.go`). A list sends each
 * transaction to each peer once. A cache holds seen transactions; a refusal removes them.
 */
export class CometPool {
  /** The list in the order of additions, with the peers that sent each transaction. */
  readonly #list = new Map<string, { readonly raw: Uint8Array; readonly from: Set<CometPool> }>()
  readonly #cache = new Set<string>()
  readonly #size: number
  readonly peers: CometPool[] = []
  gate: TransactionGate | undefined
  /** While it is false, no broadcast is answered. */
  isUp = true
  /** Number of answered recheck requests. */
  rechecks = 0
  /** Refused transactions that came from peers. */
  refused: string[] = []
  /** Number of transactions refused because the mempool was full. */
  refusedFull = 0
  /** Transactions in flight. A block waits for them, as CometBFT flushes the connection. */
  readonly #open = new Set<Promise<void>>()

  constructor(size = 1000) {
    this.#size = size
  }

  get transactions(): Uint8Array[] {
    return [...this.#list.values()].map(({ raw }) => raw)
  }

  readonly broadcast: Broadcast = async (raws) => {
    if (!this.isUp) throw new Error('connect ENOENT rpc.sock')
    return raws.map((raw) => this.receive(raw))
  }

  /** Receives a transaction from a peer, or from the RPC if `from` is absent. */
  receive(raw: Uint8Array, from?: CometPool): BroadcastOutcome {
    const key = bytesKey(raw)
    if (this.#list.size >= this.#size) {
      this.refusedFull++
      return { kind: 'full' }
    }
    if (this.#cache.has(key)) {
      if (from !== undefined) this.#list.get(key)?.from.add(from)
      return { kind: 'taken' }
    }
    this.#cache.add(key)
    const checked = this.#check(raw, from).finally(() => this.#open.delete(checked))
    this.#open.add(checked)
    return { kind: 'taken' }
  }

  /** Resolves when no transaction is in flight here. */
  async settle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Tells whether a transaction is in flight here. */
  get isBusy(): boolean {
    return this.#open.size > 0
  }

  /** Removes the committed transactions and rechecks all others. */
  async update(committed: readonly Uint8Array[]): Promise<void> {
    for (const raw of committed) {
      this.#list.delete(bytesKey(raw))
      this.#cache.add(bytesKey(raw))
    }
    for (const [key, { raw }] of [...this.#list]) {
      const { code } = await this.#ask(raw, true)
      this.rechecks++
      if (code === 0) continue
      this.#list.delete(key)
      this.#cache.delete(key)
    }
  }

  /** Restarts with an empty pool and cache. */
  restart(): void {
    this.#list.clear()
    this.#cache.clear()
    this.isUp = true
  }

  async #check(raw: Uint8Array, from: CometPool | undefined): Promise<void> {
    const { code, log } = await this.#ask(raw, false)
    const key = bytesKey(raw)
    if (code !== 0) this.refused.push(log)
    if (code !== 0 || this.#list.size >= this.#size) {
      this.#cache.delete(key)
      return
    }
    this.#list.set(key, { raw, from: new Set(from === undefined ? [] : [from]) })
    for (const peer of this.peers) {
      if (!this.#list.get(key)?.from.has(peer)) peer.receive(raw, this)
    }
  }

  #ask(transaction: Uint8Array, isRecheck: boolean) {
    if (this.gate === undefined) throw new Error('nobody answers')
    return this.gate.check({ transaction, isRecheck })
  }
}
