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
  /** Latest height of the chain. */
  readonly height: number
  /** Called if CometBFT rejects a pooled transaction for good. It is dropped. */
  readonly onRefused: (hash: string, reason: string) => void
  readonly onUnsent: (waiting: number, reason: string) => void
}

/** Fields that determine what a block had room for. */
export type BlockRoom = Pick<BlockHeader, 'number' | 'gasLimit' | 'gasUsed' | 'baseFeePerGas'>

const CODESPACE = 'evm'

/** Errors that reject a transaction without ending the node. */
const REFUSALS: ReadonlySet<string> = new Set(['TRANSACTION_REJECTED', 'SERVER_BUSY', 'STORE_FULL'])

function keep({ gas }: Transaction): CheckTxResponse {
  return { code: 0, codespace: '', log: '', gasWanted: gas }
}

function leaveOut(log: string): CheckTxResponse {
  return { code: 1, codespace: CODESPACE, log, gasWanted: 0n }
}

/**
 * Connects the node's mempool, which is authoritative, with CometBFT's, which gossips transactions and only holds
 * those that are executable in the node's mempool. A transaction with a nonce gap stays in the node's mempool until
 * it is executable, as in Ethereum's own gossip.
 *
 * CometBFT sends a transaction to each peer once. A peer may have rejected it because its mempool was full or its
 * state a block behind. The transaction is therefore offered again after a block that had room for it but lacks it.
 */
export class TransactionGossip implements TransactionGate {
  readonly #options: TransactionGossipOptions
  readonly #outbox: GossipOutbox
  readonly #offers: OfferSchedule
  /** Hash keys of transactions that CometBFT is checking now and need not be sent to it. */
  readonly #arriving = new Set<string>()
  /** Hash keys that CometBFT must evict in this block's recheck, since it only gossips new transactions. */
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
    this.sendAll()
  }

  /** Number of transactions not yet sent to CometBFT. */
  get waiting(): number {
    return this.#outbox.size
  }

  /** Sends all executable transactions. Call it when CometBFT has started with an empty mempool. */
  sendAll(): void {
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
      else await pool.persisted()
    } catch (error) {
      const refusal = this.#refusalOf(error, hash)
      if (refusal !== undefined) return leaveOut(refusal)
    } finally {
      this.#arriving.delete(key)
    }
    return this.#answer(hash)
  }

  /** Must be called for each block before CometBFT rechecks its mempool. */
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

  /** Only a lookup: CometBFT rechecks every transaction of its mempool after each block. */
  #recheck(hash: Uint8Array, held: Transaction | undefined): CheckTxResponse {
    if (held === undefined) return leaveOut('it has left the mempool')
    if (this.#released.delete(bytesKey(hash))) return leaveOut('it is offered again')
    return keep(held)
  }

  /** Returns the response for a transaction that the pool has accepted. */
  #answer(hash: Uint8Array): CheckTxResponse {
    const { pool } = this.#options
    const held = pool.get(hash)
    // A block or a replacement may have removed it in the meantime.
    if (held === undefined) return leaveOut('it has left the mempool')
    const next = pool.nextNonce(held.from)
    if (held.nonce < next) return keep(held)
    return leaveOut(`nonce too high: it waits here for nonce ${next}, tx nonce ${held.nonce}`)
  }

  /**
   * Returns why a transaction is rejected; undefined if the pool has it anyway.
   * @throws the error if it must end the node
   */
  #refusalOf(error: unknown, hash: Uint8Array): string | undefined {
    if (!(error instanceof LockstepError) || !REFUSALS.has(error.code)) throw error
    // It may have arrived another way while its sender was recovered.
    return this.#options.pool.get(hash) === undefined ? error.message : undefined
  }

  /** Decides whether the block could have contained a transaction if its proposer had known it. */
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
