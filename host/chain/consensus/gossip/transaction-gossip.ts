import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { CheckTxRequest, CheckTxResponse } from '../abci/messages.ts'
import type { TransactionGate } from '../abci/transaction-gate.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Broadcast } from './comet-broadcast.ts'
import { GossipOutbox } from './gossip-outbox.ts'
import { OfferSchedule } from './offer-schedule.ts'

export interface TransactionGossipOptions {
  readonly pool: Mempool
  readonly keccak256: Keccak256
  readonly broadcast: Broadcast
  /** Newest height of the chain. */
  readonly height: number
  /** A transaction of the pool that CometBFT never takes, and is dropped. */
  readonly onRefused: (hash: string, reason: string) => void
  readonly onUnsent: (waiting: number, reason: string) => void
}

/** What a block had room for. */
export type BlockRoom = Pick<BlockHeader, 'number' | 'gasLimit' | 'gasUsed' | 'baseFeePerGas'>

const CODESPACE = 'evm'

/** What is no fault of the node: the transaction is refused, and CometBFT goes on. */
const REFUSALS: ReadonlySet<string> = new Set(['TRANSACTION_REJECTED', 'SERVER_BUSY', 'STORE_FULL'])

function keep({ gas }: Transaction): CheckTxResponse {
  return { code: 0, codespace: '', log: '', gasWanted: gas }
}

function leaveOut(log: string): CheckTxResponse {
  return { code: 1, codespace: CODESPACE, log, gasWanted: 0n }
}

/**
 * Between the node's pool, which is the truth, and CometBFT's, which hands transactions on to peers and holds nothing
 * but what a block could take: transactions that are executable in the node's pool. One that waits for an earlier
 * nonce stays here and is handed over once it is executable, as in Ethereum's own gossip.
 *
 * CometBFT tells a transaction to a peer once. A peer that refused it then, because its pool was full or its state a
 * block behind, is told again where a block has gone by that had room for it.
 */
export class TransactionGossip implements TransactionGate {
  readonly #options: TransactionGossipOptions
  readonly #outbox: GossipOutbox
  readonly #offers: OfferSchedule
  /** Those that CometBFT asks about now: it need not be handed them. By the keys of their hashes. */
  readonly #arriving = new Set<string>()
  /** Those that CometBFT is to let go with this block's recheck: it hands on what comes anew alone. */
  readonly #released = new Set<string>()
  readonly #stopListening: () => void

  constructor(options: TransactionGossipOptions) {
    const { pool, broadcast, height } = options
    this.#options = options
    this.#offers = new OfferSchedule(height)
    this.#outbox = new GossipOutbox({
      find: (hash) => pool.get(hash),
      broadcast,
      onTaken: (hash) => this.#offers.add(hash),
      onRefused: (transaction, reason) => this.#drop(transaction, reason),
      onUnsent: options.onUnsent,
    })
    this.#stopListening = pool.onPending(({ hash }) => {
      if (!this.#arriving.has(bytesKey(hash))) this.#outbox.push(hash)
    })
    this.handOver()
  }

  /** Transactions that CometBFT has not been told of yet. */
  get waiting(): number {
    return this.#outbox.size
  }

  /** Hands over all that is executable: CometBFT has begun, and its own pool is empty. */
  handOver(): void {
    for (const { transactions } of this.#options.pool.pending()) {
      for (const { hash } of transactions) this.#outbox.push(hash)
    }
    this.#outbox.wake()
  }

  async check({ transaction: raw, isRecheck }: CheckTxRequest): Promise<CheckTxResponse> {
    const { pool, keccak256 } = this.#options
    const hash = keccak256(raw)
    const held = pool.get(hash)
    if (isRecheck) return this.#recheck(hash, held)
    const key = bytesKey(hash)
    this.#arriving.add(key)
    try {
      if (held === undefined) await pool.add(raw)
      else await pool.kept()
    } catch (error) {
      const refusal = this.#refusalOf(error, hash)
      if (refusal !== undefined) return leaveOut(refusal)
    } finally {
      this.#arriving.delete(key)
    }
    return this.#answer(hash)
  }

  /** Is told of each block before CometBFT rechecks its pool. */
  onBlock(header: BlockRoom): void {
    this.#released.clear()
    const again = this.#offers.advance(header.number, (hash) => this.#judge(hash, header))
    for (const hash of again) {
      this.#released.add(bytesKey(hash))
      this.#outbox.push(hash)
    }
    this.#outbox.wake()
  }

  close(): void {
    this.#stopListening()
    this.#outbox.close()
  }

  /** A lookup: CometBFT asks about each transaction of its pool after each block. */
  #recheck(hash: Uint8Array, held: Transaction | undefined): CheckTxResponse {
    if (held === undefined) return leaveOut('it has left the mempool')
    if (this.#released.delete(bytesKey(hash))) return leaveOut('it is offered again')
    return keep(held)
  }

  /** What becomes of a transaction that the pool has taken. */
  #answer(hash: Uint8Array): CheckTxResponse {
    const { pool } = this.#options
    const held = pool.get(hash)
    // While the answer was on its way, a block or a better offer has come.
    if (held === undefined) return leaveOut('it has left the mempool')
    const next = pool.nextNonce(held.from)
    if (held.nonce < next) return keep(held)
    return leaveOut(`nonce too high: it waits here for nonce ${next}, tx nonce ${held.nonce}`)
  }

  /** Undefined where the pool has it all the same. @throws what ends the node */
  #refusalOf(error: unknown, hash: Uint8Array): string | undefined {
    if (!(error instanceof LockstepError) || !REFUSALS.has(error.code)) throw error
    // It came in over another door while its sender was being recovered.
    return this.#options.pool.get(hash) === undefined ? error.message : undefined
  }

  /** Whether the block that has come should have had a transaction, if its proposer knew of it. */
  #judge(hash: Uint8Array, header: BlockRoom): 'offer' | 'later' | 'forget' {
    const { pool } = this.#options
    const held = pool.get(hash)
    if (held === undefined) return 'forget'
    const hadRoom = held.gas <= header.gasLimit - header.gasUsed
    const wasExecutable = held.nonce < pool.nextNonce(held.from)
    const paid = held.maxFeePerGas >= header.baseFeePerGas
    return hadRoom && wasExecutable && paid ? 'offer' : 'later'
  }

  #drop(transaction: Transaction, reason: string): void {
    const { pool, onRefused } = this.#options
    pool.drop([transaction])
    onRefused(formatData(transaction.hash), reason)
  }
}
