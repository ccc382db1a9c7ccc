import type { SyncStatus } from '../../../chain/consensus/application.ts'
import type { HeadFeed } from '../../../chain/consensus/head-feed.ts'
import type { ImportedStates } from '../../../chain/consensus/import/imported-states.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { DevChain } from '../../../chain/dev/dev-chain.ts'
import type { ForkedHistory } from '../../../chain/dev/fork/forked-history.ts'
import type { BlockAccessList } from '../../../evm/chain-types/block-access-list.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import type { ChainRules } from '../../../evm/execute/chain-rules.ts'
import type { EthereumRules } from '../../../evm/execute/ethereum/ethereum-rules.ts'
import type { EthereumGenesis } from '../../../evm/execute/ethereum/genesis.ts'
import type { History } from '../../../evm/execute/history.ts'
import type { PendingBlocks } from '../../../evm/execute/pending-block.ts'
import type { ReplayControl } from '../../../evm/execute/replay/replay-onto.ts'
import type { BlockSimulator } from '../../../evm/execute/simulate/block-simulator.ts'
import type { Simulator } from '../../../evm/execute/simulate/simulator.ts'
import type { AccountProof } from '../../../storage/commit/trie/state-trie.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import type { StateReads, StateStore } from '../../../storage/store/state/state-store.ts'
import type { WorkScheduler } from '../../server/work-scheduler.ts'
import type { TraceCache } from '../../trace-pool/trace-cache.ts'
import type { TraceRunner } from '../../trace-pool/trace-runner.ts'
import type { AddressIndex } from '../../transaction-index/address-index.ts'
import type { FilterRegistry } from '../subscription/filter-registry.ts'
import type { SubscriptionHub } from '../subscription/subscription-hub.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { RpcLimits } from './limits.ts'

/** Receives metrics of calls, and defects; must not throw. */
export interface RpcObserver {
  /** Called after each answered call. `code` is 0 on success; `method` is `unknown` for an unsupported method. */
  onAnswer(method: string, code: number, milliseconds: number): void
  /** Called if a handler threw something other than a LockstepError, which is a defect of the node. */
  onDefect(method: string, error: unknown): void
  /** Called with the hash of a submitted transaction that the pool has accepted. */
  onSubmit(hash: Uint8Array): void
}

/** Components of an imported chain that a native Lockstep chain lacks. */
export interface ImportedChain {
  readonly rules: EthereumRules
  readonly genesis: EthereumGenesis
  /** The states after and within its blocks, with their tries. */
  readonly states: ImportedStates
  /** Proves an account and some of its slots against the state root of a block. */
  prove(height: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
}

/** The part of the address index that methods search. */
export type SearchableIndex = Pick<
  AddressIndex,
  'height' | 'earliest' | 'reach' | 'places' | 'byNonce' | 'creation'
>

/** The context of the methods that every RPC worker answers. */
export interface WorkerContext {
  readonly chain: Pick<ChainStore, 'latest'>
  readonly rules: Pick<ChainRules, 'chainId'>
  /** Set only under --dev. */
  readonly dev: object | undefined
  readonly limits: RpcLimits
  /** Submits a transaction in network encoding to the pool; resolves with its hash. */
  readonly submit: (raw: Uint8Array) => Promise<Uint8Array>
  /** Accounts for the costs of callers. */
  readonly work: WorkScheduler
  /** For web3_clientVersion: name/version/system/runtime. */
  readonly clientVersion: string
  readonly denied: ReadonlySet<string>
  readonly observer: RpcObserver
}

/** The context of the methods that read finished blocks and their states. An RPC worker may have it too. */
export interface ReadContext extends WorkerContext {
  readonly chain: ChainStore
  readonly state: StateReads
  readonly rules: ChainRules
  readonly keccak256: Keccak256
  readonly simulator: Pick<Simulator, 'call' | 'estimateGas' | 'createAccessList'>
  /** Cached responses. */
  readonly answers: AnswerCache
  readonly dev: DevChain | undefined
  /** Blocks of the forked chain before the first local block. */
  readonly forked: ForkedHistory | undefined
  /** Pending transactions and blocks. On an RPC worker each access throws `Elsewhere`. */
  readonly pool: Pick<TransactionPool, 'get' | 'nextNonce'>
  readonly pendingBlocks: Pick<PendingBlocks, 'latest'>
}

/** The complete context of the method handlers. */
export interface RpcContext extends ReadContext {
  readonly state: StateStore
  readonly pool: TransactionPool
  readonly heads: HeadFeed
  /** Sync status relative to the peers. */
  readonly sync: () => SyncStatus
  /** Number of peers of the consensus engine. */
  readonly peers: () => number
  readonly history: History
  /** Undefined on a native chain. */
  readonly imported: ImportedChain | undefined
  /** Undefined unless `evm.address_index` is on. */
  readonly addressIndex: SearchableIndex | undefined
  /** /block of the consensus RPC; undefined for an imported chain. */
  readonly consensusBlock: ((height: number) => object | Promise<object>) | undefined
  /** SHA-256 of engine.wasm, 64 hex digits. */
  readonly engineHash: string
  readonly blockSimulator: Pick<BlockSimulator, 'simulate'>
  /** Returns the state roots after each transaction of a finished block. */
  readonly intermediateRoots: (height: number, costs: ReplayControl) => Promise<Uint8Array[]>
  /** Replays a finished block and returns its access list (EIP-7928). */
  readonly accessListOf: (height: number, costs: ReplayControl) => Promise<BlockAccessList>
  /** Replays a finished block, or its first `count` transactions, and returns everything that it changed. */
  readonly replay: (height: number, costs: ReplayControl, count?: number) => Promise<StateDiff>
  readonly traces: TraceRunner
  readonly traceCache: TraceCache
  readonly filters: FilterRegistry
  readonly subscriptions: SubscriptionHub
}
