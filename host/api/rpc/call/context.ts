import type { SyncStatus } from '../../../chain/consensus/application.ts'
import type { HeadFeed } from '../../../chain/consensus/head-feed.ts'
import type { ImportedStates } from '../../../chain/consensus/import/imported-states.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { DevChain } from '../../../chain/dev/dev-chain.ts'
import type { ForkedHistory } from '../../../chain/dev/fork/forked-history.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import type { ChainRules } from '../../../evm/execute/chain-rules.ts'
import type { EthereumRules } from '../../../evm/execute/ethereum/ethereum-rules.ts'
import type { EthereumGenesis } from '../../../evm/execute/ethereum/genesis.ts'
import type { History } from '../../../evm/execute/history.ts'
import type { PendingBlocks } from '../../../evm/execute/pending-block.ts'
import type { RunCosts } from '../../../evm/execute/replay/replay-onto.ts'
import type { BlockSimulator } from '../../../evm/execute/simulate/block-simulator.ts'
import type { Simulator } from '../../../evm/execute/simulate/simulator.ts'
import type { AccountProof } from '../../../storage/commit/trie/state-trie.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import type { StateReads, StateStore } from '../../../storage/store/state/state-store.ts'
import type { AddressIndex } from '../../address-index/address-index.ts'
import type { WorkScheduler } from '../../server/work-scheduler.ts'
import type { TraceCache } from '../../trace-pool/trace-cache.ts'
import type { TraceRunner } from '../../trace-pool/trace-runner.ts'
import type { FilterRegistry } from '../subscription/filter-registry.ts'
import type { SubscriptionHub } from '../subscription/subscription-hub.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { RpcLimits } from './limits.ts'

/** Counts calls and reports defects; never throws. */
export interface RpcObserver {
  /** A call was answered; `code` is 0 on success. A method that is not served is named `unknown`. */
  onAnswer(method: string, code: number, milliseconds: number): void
  /** A handler threw something other than a LockstepError: a defect of the node. */
  onDefect(method: string, error: unknown): void
  /** The pool has taken a transaction that was handed in; its hash. */
  onSubmit(hash: Uint8Array): void
}

/** The parts of an imported chain that a chain of Lockstep lacks. */
export interface ImportedChain {
  readonly rules: EthereumRules
  readonly genesis: EthereumGenesis
  /** The states after its blocks and within them, with their tries. */
  readonly states: ImportedStates
  /** Proves an account and slots of it against the state root of a block. */
  prove(height: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
}

/** The index of transactions by address, as methods search it. */
export type SearchableIndex = Pick<
  AddressIndex,
  'height' | 'earliest' | 'reach' | 'places' | 'byNonce' | 'creation'
>

/** What the methods work with that every serving thread answers. */
export interface ThreadContext {
  readonly chain: Pick<ChainStore, 'latest'>
  readonly rules: Pick<ChainRules, 'chainId'>
  /** Set under --dev only. */
  readonly dev: object | undefined
  readonly limits: RpcLimits
  /** Hands a transaction in network encoding to the pool; its hash. */
  readonly submit: (raw: Uint8Array) => Promise<Uint8Array>
  /** Counts what callers cost. */
  readonly work: WorkScheduler
  /** As web3_clientVersion gives it: name/version/system/runtime. */
  readonly clientVersion: string
  readonly denied: ReadonlySet<string>
  readonly observer: RpcObserver
}

/** What the methods work with that read finished blocks and their states: a serving thread may have it too. */
export interface ReadContext extends ThreadContext {
  readonly chain: ChainStore
  readonly state: StateReads
  readonly rules: ChainRules
  readonly keccak256: Keccak256
  readonly simulator: Pick<Simulator, 'call' | 'estimateGas' | 'createAccessList'>
  /** Answers that were given before. */
  readonly answers: AnswerCache
  readonly dev: DevChain | undefined
  /** The blocks before the first that is here, on a fork. */
  readonly forked: ForkedHistory | undefined
  /** What waits for a block. On a serving thread each look throws `Elsewhere`. */
  readonly pool: Pick<TransactionPool, 'get' | 'nextNonce'>
  readonly pendingBlocks: Pick<PendingBlocks, 'latest'>
}

/** All that the handlers of methods work with. */
export interface RpcContext extends ReadContext {
  readonly state: StateStore
  readonly pool: TransactionPool
  readonly heads: HeadFeed
  /** Where the node stands among those that it follows. */
  readonly sync: () => SyncStatus
  /** Nodes that the consensus engine is connected to. */
  readonly peers: () => number
  readonly history: History
  /** Undefined on this node's own chain. */
  readonly imported: ImportedChain | undefined
  /** Undefined unless `evm.address_index` is on. */
  readonly addressIndex: SearchableIndex | undefined
  /** /block of the consensus RPC; undefined where an imported chain is served. */
  readonly consensusBlock: ((height: number) => object | Promise<object>) | undefined
  /** SHA-256 of engine.wasm, 64 hex digits. */
  readonly engineHash: string
  readonly blockSimulator: Pick<BlockSimulator, 'simulate'>
  /** State roots after each transaction of a finished block. */
  readonly intermediateRoots: (height: number, costs: RunCosts) => Promise<Uint8Array[]>
  /** All that a finished block changed, found by running it again. */
  readonly replay: (height: number, costs: RunCosts) => Promise<StateDiff>
  readonly traces: TraceRunner
  readonly traceCache: TraceCache
  readonly filters: FilterRegistry
  readonly subscriptions: SubscriptionHub
}
