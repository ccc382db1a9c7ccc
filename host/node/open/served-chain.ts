import type { AddressIndex } from '../../api/address-index/address-index.ts'
import type { ImportedChain } from '../../api/rpc/call/context.ts'
import type { Readiness } from '../../api/server/readiness.ts'
import type { SyncStatus } from '../../chain/consensus/application.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import type { PoolRules } from '../../chain/consensus/mempool/pool-options.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { ConsoleWatch } from '../../chain/dev/console-watch.ts'
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

/** A chain with all that its EVM JSON-RPC is answered from. */
export interface ServedChain {
  readonly storage: Storage
  /** Has other threads read it; undefined where they cannot. */
  readonly publisher: StoragePublisher | undefined
  /** Undefined on an imported chain. */
  readonly params: ChainParams | undefined
  readonly rules: ChainRules
  readonly history: History
  readonly pool: TransactionPool
  /** What the pool asks of every transaction, whatever the state; undefined where it takes none. */
  readonly poolRules: PoolRules | undefined
  readonly heads: HeadFeed
  /** Where the node stands among those that it follows. */
  readonly sync: () => SyncStatus
  /** Nodes that the consensus engine is connected to. */
  readonly peers: () => number
  readonly keccak256: Keccak256
  /** For the roots of pretended blocks. */
  readonly hasher: BlockHasher
  /** For calls. */
  readonly engines: EnginePool<BlockEngine>
  /** For the threads that traces run on. */
  readonly modules: EngineModules
  /** Undefined on this node's own chain. */
  readonly imported: ImportedChain | undefined
  /** The blocks of another chain that this one goes on from; undefined where it is no fork. */
  readonly forked: ForkedHistory | undefined
  /** Undefined unless `evm.address_index` is on. */
  readonly addressIndex: AddressIndex | undefined
  /** Set under --dev only. */
  readonly dev: DevChain | undefined
  /** Set under --dev only. */
  readonly consoleWatch: ConsoleWatch | undefined
  /** /block of the consensus RPC; undefined where an imported chain is served. */
  readonly consensusBlock: ((height: number) => object | Promise<object>) | undefined
  readonly readiness: () => Readiness
}

/** The history that a storage holds, with its states. */
export function historyOf(
  { chain }: Pick<Storage, 'chain'>,
  states: Pick<History, 'view' | 'before' | 'fork' | 'edition'>,
): History {
  return {
    header: (height) => chain.header(height),
    block: (height) => chain.block(height),
    receipts: (height) => chain.receipts(height),
    ...states,
  }
}
