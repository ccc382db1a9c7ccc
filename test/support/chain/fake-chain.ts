import { AnswerCache } from '../../../host/api/rpc/call/answer-cache.ts'
import type { RpcContext } from '../../../host/api/rpc/call/context.ts'
import type { RpcLimits } from '../../../host/api/rpc/call/limits.ts'
import type { Caller } from '../../../host/api/rpc/call/rpc-call.ts'
import { submitted } from '../../../host/api/rpc/eth/transaction.ts'
import { METHODS } from '../../../host/api/rpc/methods.ts'
import { Dispatcher } from '../../../host/api/rpc/protocol/dispatcher.ts'
import { FilterRegistry } from '../../../host/api/rpc/subscription/filter-registry.ts'
import { SubscriptionHub } from '../../../host/api/rpc/subscription/subscription-hub.ts'
import { WorkScheduler } from '../../../host/api/server/work-scheduler.ts'
import { TraceCache } from '../../../host/api/trace-pool/trace-cache.ts'
import { loadConfig } from '../../../host/base/config/load.ts'
import { formatData } from '../../../host/base/hex.ts'
import { IN_SYNC } from '../../../host/chain/consensus/application.ts'
import type { HeadFeed } from '../../../host/chain/consensus/head-feed.ts'
import {
  addEach,
  type PooledSender,
  type PoolSubmission,
  type SubmissionOutcome,
  type TransactionPool,
} from '../../../host/chain/consensus/mempool/transaction-pool.ts'
import type { BlockHeader } from '../../../host/evm/chain-types/block.ts'
import { logsBloom, uniteBlooms } from '../../../host/evm/chain-types/bloom.ts'
import type { ChainParams } from '../../../host/evm/chain-types/genesis.ts'
import type { Log } from '../../../host/evm/chain-types/log.ts'
import type { Receipt } from '../../../host/evm/chain-types/receipt.ts'
import { effectiveGasPrice, type Transaction } from '../../../host/evm/chain-types/transaction.ts'
import {
  decodeSigned,
  encodeTransaction,
  type UnsignedTransaction,
} from '../../../host/evm/chain-types/transaction-codec.ts'
import type { CandidateSource } from '../../../host/evm/execute/candidates.ts'
import { lockstepRules } from '../../../host/evm/execute/lockstep/lockstep-rules.ts'
import { OverlayState } from '../../../host/evm/state/overlay-state.ts'
import { rpcLimits } from '../../../host/node/serve/rpc-limits.ts'
import type { ExecutedBlock } from '../../../host/storage/store/codec/block-record.ts'
import type { StateStore } from '../../../host/storage/store/state/state-store.ts'
import { PLAIN_FIELDS } from '../engine/unsigned-sender.ts'
import { BlockList } from './block-list.ts'
import { TestState } from './test-state.ts'
import { wasmKeccak256 } from './wasm-keccak.ts'

export const keccak256 = wasmKeccak256

/** Returns `length` bytes of value `byte`. */
export function repeat(byte: number, length: number): Uint8Array {
  return new Uint8Array(length).fill(byte)
}

export const SENDER: Uint8Array = repeat(0xaa, 20)
export const RECIPIENT: Uint8Array = repeat(0xbb, 20)

/** Returns a minimal transaction without a valid signature. */
export function transaction(fields: Partial<UnsignedTransaction> = {}): Transaction {
  const unsigned: UnsignedTransaction = {
    ...PLAIN_FIELDS,
    type: 2,
    chainId: 1329n,
    nonce: 0n,
    maxPriorityFeePerGas: 1_000_000_000n,
    maxFeePerGas: 100_000_000_000n,
    gas: 21_000n,
    to: RECIPIENT,
    ...fields,
  }
  const legacyV = unsigned.chainId === undefined ? 28n : 2n * unsigned.chainId + 36n
  const v = unsigned.type === 0 ? legacyV : 1n
  const raw = encodeTransaction(unsigned, { v, r: 0x1234n, s: 0x5678n })
  return { ...decodeSigned(raw, keccak256), from: SENDER }
}

/** One transaction of a block with its result. */
export interface FakeTransaction {
  readonly transaction: Transaction
  readonly logs?: readonly Log[]
  readonly gasUsed?: bigint
  readonly status?: 0 | 1
  readonly contractAddress?: Uint8Array
}

const BASE_FEE = 50_000_000_000n

export class FakePool implements TransactionPool {
  readonly waiting: Transaction[] = []
  readonly gapped: Transaction[] = []
  readonly added: Uint8Array[] = []
  readonly #listeners = new Set<(transaction: Transaction) => void>()
  add: (raw: Uint8Array) => Promise<Uint8Array> = async (raw) => {
    this.added.push(raw)
    return keccak256(raw)
  }

  addAll(submissions: readonly PoolSubmission[]): Promise<readonly SubmissionOutcome[]> {
    return addEach(this, submissions)
  }

  check(): Promise<Transaction> {
    return Promise.reject(new Error('nothing checks transactions here'))
  }

  get(hash: Uint8Array): Transaction | undefined {
    return this.waiting.find((one) => formatData(one.hash) === formatData(hash))
  }

  get version(): number {
    return this.waiting.length
  }

  candidates(): CandidateSource {
    let at = 0
    const take = () => {
      at++
      return this
    }
    return { peek: () => this.waiting[at], take, drop: () => undefined, skip: take }
  }

  nextNonce(): bigint {
    return 7n + BigInt(this.waiting.length)
  }

  get counts() {
    return { pending: this.waiting.length, queued: this.gapped.length }
  }

  of(sender: Uint8Array) {
    const isTheirs = ({ from }: Transaction) => formatData(from) === formatData(sender)
    return { pending: this.waiting.filter(isTheirs), queued: this.gapped.filter(isTheirs) }
  }

  pending(): PooledSender[] {
    return this.waiting.length === 0 ? [] : [{ sender: SENDER, transactions: this.waiting }]
  }

  queued(): PooledSender[] {
    return this.gapped.length === 0 ? [] : [{ sender: SENDER, transactions: this.gapped }]
  }

  onPending(listener: (transaction: Transaction) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(one: Transaction): void {
    this.waiting.push(one)
    for (const listener of this.#listeners) listener(one)
  }
}

class FakeHeads implements HeadFeed {
  readonly #listeners = new Set<(executed: ExecutedBlock) => void>()

  onBlock(listener: (executed: ExecutedBlock) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onRemoval(): () => void {
    return () => {}
  }

  announce(executed: ExecutedBlock): void {
    for (const listener of this.#listeners) listener(executed)
  }
}

const PARAMS: ChainParams = {
  chainId: 1329n,
  revision: 'Prague',
  maxGas: 12_500_000n,
  feeMarket: {
    initialBaseFee: BASE_FEE,
    minBaseFee: 1_000_000_000n,
    maxBaseFee: 1000_000_000_000n,
    targetGas: 850_000n,
    maxUpward: 7_500_000_000_000_000n,
    maxDownward: 3_900_000_000_000_000n,
  },
  feeCollector: repeat(0xfe, 20),
}

function unexpected(): never {
  throw new Error('not expected in this test')
}

/** The limits of a node whose app.toml sets none. */
export const DEFAULT_LIMITS: RpcLimits = rpcLimits(
  loadConfig({ directory: '/nonexistent', environment: {}, flags: new Map() }).config,
)

/** A chain of literal blocks with JSON-RPC on top, without the rest of a node. */
export class FakeNode {
  readonly chain = new BlockList()
  readonly pool = new FakePool()
  readonly heads = new FakeHeads()
  readonly state = new TestState(keccak256)
  readonly answers: { method: string; code: number }[] = []
  readonly defects: unknown[] = []
  readonly submitted: string[] = []
  readonly context: RpcContext
  readonly dispatcher: Dispatcher
  stateEarliest = 0

  constructor(limits: Partial<RpcLimits> = {}, overrides: Partial<RpcContext> = {}) {
    const allLimits = { ...DEFAULT_LIMITS, ...limits }
    const node = this
    const state: StateStore = {
      get earliest() {
        return node.stateEarliest
      },
      get firstWithEvm() {
        return node.stateEarliest
      },
      get evmWholeFrom() {
        return node.stateEarliest
      },
      get latest() {
        return node.chain.latest
      },
      view: () => node.state,
      legacy: () => undefined,
      module: unexpected,
      apply: unexpected,
    }
    const rules = lockstepRules(PARAMS, state)
    this.context = {
      chain: this.chain,
      state,
      pool: this.pool,
      heads: this.heads,
      sync: () => IN_SYNC,
      peers: () => 0,
      rules,
      history: {
        header: (height) => node.chain.header(height),
        block: (height) => node.chain.block(height),
        receipts: (height) => node.chain.receipts(height),
        view: () => node.state,
        before: () => node.state,
        fork: () => new OverlayState(node.state),
      },
      imported: undefined,
      forked: undefined,
      addressIndex: undefined,
      dev: undefined,
      pendingBlocks: { latest: unexpected },
      consensusBlock: undefined,
      engineHash: '00'.repeat(32),
      keccak256,
      blockSimulator: { simulate: unexpected },
      simulator: { call: unexpected, estimateGas: unexpected, createAccessList: unexpected },
      intermediateRoots: unexpected,
      accessListOf: unexpected,
      replay: unexpected,
      traces: { start: unexpected, close: async () => {} },
      traceCache: new TraceCache(0),
      answers: new AnswerCache(1 << 20),
      filters: new FilterRegistry(this.pool, allLimits),
      subscriptions: new SubscriptionHub(this.heads, this.pool, rules, keccak256, allLimits),
      limits: allLimits,
      submit: (raw) => submitted(this.context, this.pool.add(raw)),
      work: new WorkScheduler(1 << 28),
      clientVersion: 'lockstep/0.0.0/test',
      denied: new Set(['eth_coinbase']),
      observer: {
        onAnswer: (method, code) => this.answers.push({ method, code }),
        onDefect: (_, error) => this.defects.push(error),
        onSubmit: (hash) => this.submitted.push(formatData(hash)),
      },
      ...overrides,
    }
    this.dispatcher = new Dispatcher(this.context, METHODS)
    this.addBlock([])
  }

  /** Appends a block and announces it. */
  addBlock(transactions: readonly FakeTransaction[]): BlockHeader {
    const height = this.chain.blocks.length
    let cumulativeGasUsed = 0n
    const receipts = transactions.map((one): Receipt => {
      const { logs = [], status = 1, contractAddress, gasUsed = 21_000n } = one
      cumulativeGasUsed += gasUsed
      return {
        type: one.transaction.type,
        transactionHash: one.transaction.hash,
        from: one.transaction.from,
        to: one.transaction.to,
        contractAddress,
        status,
        gasUsed,
        cumulativeGasUsed,
        effectiveGasPrice: effectiveGasPrice(one.transaction, BASE_FEE),
        logs,
        logsBloom: logsBloom(logs, keccak256),
      }
    })
    const header: BlockHeader = {
      number: height,
      hash: keccak256(Uint8Array.of(height >> 8, height)),
      parentHash: keccak256(Uint8Array.of((height - 1) >> 8, height - 1)),
      stateRoot: repeat(1, 32),
      transactionsRoot: repeat(2, 32),
      receiptsRoot: repeat(3, 32),
      logsBloom: uniteBlooms(receipts.map((receipt) => receipt.logsBloom)),
      miner: PARAMS.feeCollector,
      prevRandao: repeat(4, 32),
      timestamp: 1_700_000_000 + height,
      gasLimit: PARAMS.maxGas,
      gasUsed: cumulativeGasUsed,
      baseFeePerGas: BASE_FEE,
      size: transactions.reduce((sum, one) => sum + one.transaction.raw.length, 0),
    }
    const executed: ExecutedBlock = {
      block: {
        header,
        transactions: transactions.map((one) => one.transaction.raw),
      },
      transactionHashes: transactions.map((one) => one.transaction.hash),
      receipts,
    }
    this.chain.append(executed)
    this.heads.announce(executed)
    return header
  }

  /** Returns the parsed response to a body, or undefined if there is none. */
  async answer(body: string, caller: Partial<Caller> = {}): Promise<unknown> {
    const full: Caller = {
      transport: 'http',
      signal: new AbortController().signal,
      subscriber: undefined,
      account: this.context.work.account('192.0.2.1'),
      ...caller,
    }
    const answer = await this.dispatcher.answer(Buffer.from(body), full)
    if (answer === undefined) return undefined
    if (typeof answer === 'string') return JSON.parse(answer)
    const parts: Uint8Array[] = []
    for await (const { borrowed } of answer) parts.push(new Uint8Array(borrowed))
    return JSON.parse(Buffer.concat(parts).toString())
  }

  /** Returns the result or error of one call. */
  async call(method: string, params: unknown, caller: Partial<Caller> = {}): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = (await this.answer(body, caller)) as Record<string, unknown>
    return answer.error === undefined ? answer.result : { error: answer.error }
  }

  close(): void {
    this.context.filters.close()
    this.context.subscriptions.close()
  }
}
