import type { ImportedChain } from '../../api/rpc/call/context.ts'
import type { Readiness } from '../../api/server/readiness.ts'
import type { AddressIndex } from '../../api/transaction-index/address-index.ts'
import type { SyncStatus } from '../../chain/consensus/application.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import type { PoolRules } from '../../chain/consensus/mempool/pool-options.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { ConsoleDetector } from '../../chain/dev/console-watch.ts'
import type { DevChain } from '../../chain/dev/dev-chain.ts'
import type { ForkedHistory } from '../../chain/dev/fork/forked-history.ts'
import type { BlockHasher } from '../../evm/chain-types/ethereum-block.ts'
import type { ChainParams } from '../../evm/chain-types/genesis.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { BlockEngine } from '../../evm/execute/block-engine.ts'
import type { ChainRules } from '../../evm/execute/chain-rules.ts'
import type { EnginePool } from '../../evm/execute/engine-pool.ts'
import type { History } from '../../evm/execute/history.ts'
import type { StoragePublisher } from '../../storage/store/reader/storage-publisher.ts'
import type { Storage } from '../../storage/store/storage.ts'

/** A chain with everything that its EVM JSON-RPC needs. */
export interface ServedChain {
  readonly storage: Storage
  /** Publishes the storage to other threads; undefined if they cannot read it. */
  readonly publisher: StoragePublisher | undefined
  /** Undefined on an imported chain. */
  readonly params: ChainParams | undefined
  readonly rules: ChainRules
  readonly history: History
  readonly pool: TransactionPool
  /** State-independent rules of the pool; undefined if it accepts no transactions. */
  readonly poolRules: PoolRules | undefined
  readonly heads: HeadFeed
  /** Sync status relative to the followed nodes. */
  readonly sync: () => SyncStatus
  /** Number of connected peers. */
  readonly peers: () => number
  readonly keccak256: Keccak256
  /** Computes the roots of simulated blocks. */
  readonly hasher: BlockHasher
  /** Engines for calls. */
  readonly engines: EnginePool<BlockEngine>
  /** Modules for the tracing threads. */
  readonly modules: EngineModules
  /** Undefined on this node's own chain. */
  readonly imported: ImportedChain | undefined
  /** The blocks of the chain that this one is forked from; undefined if it is not a fork. */
  readonly forked: ForkedHistory | undefined
  /** Undefined unless `evm.address_index` is on. */
  readonly addressIndex: AddressIndex | undefined
  /** Set under --dev only. */
  readonly dev: DevChain | undefined
  /** Set under --dev only. */
  readonly consoleWatch: ConsoleDetector | undefined
  /** /block of the consensus RPC; undefined for an imported chain. */
  readonly consensusBlock: ((height: number) => object | Promise<object>) | undefined
  readonly readiness: () => Readiness
}

/** Returns the blocks and states that a storage holds. */
export function historyOf(
  { chain }: Pick<Storage, 'chain'>,
  states: Pick<History, 'view' | 'before' | 'fork' | 'stateVersion'>,
): History {
  return {
    header: (height) => chain.header(height),
    block: (height) => chain.block(height),
    receipts: (height) => chain.receipts(height),
    ...states,
  }
}
