import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { ConsensusEngine } from '../../chain/consensus/application.ts'
import type { CometProcess } from '../../chain/consensus/cometbft/comet-process.ts'
import type { CometRpc } from '../../chain/consensus/cometbft/comet-rpc.ts'
import type { CometWatch } from '../../chain/consensus/cometbft/comet-watch.ts'
import type { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { UpgradeHalt } from '../../chain/consensus/upgrade-halt.ts'
import type { BlockSigner } from '../../chain/consensus/validator/validator.ts'
import type { DevChain } from '../../chain/dev/dev-chain.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import type { DeveloperAccounts } from '../home/developer-accounts.ts'
import type { Home } from '../home/home.ts'
import type { ChainParts } from '../open/open-chain.ts'
import type { Stores } from '../open/open-stores.ts'
import type { SyncingComet } from './sync-cometbft.ts'

/** Consensus of a node: provides blocks and accepts transactions. */
export type Consensus = EmbeddedConsensus | CometConsensus

interface ConsensusParts {
  readonly engine: ConsensusEngine
  readonly pool: TransactionPool
}

/** Consensus of a chain's single validator, or of a node that follows it. */
export interface EmbeddedConsensus extends ConsensusParts {
  readonly kind: 'embedded'
  readonly blockStore: ConsensusBlockStore
  /** Undefined on a node that follows others. */
  readonly validator: BlockSigner | undefined
  /** Set under --dev only. */
  readonly dev?: DevChain
}

/** Consensus of a network node, whose CometBFT has the blocks. */
export interface CometConsensus extends ConsensusParts {
  readonly kind: 'cometbft'
  readonly rpc: CometRpc
  /** Socket of CometBFT's RPC, for WebSocket connections. */
  readonly rpcSocket: string
  readonly comet: CometProcess
  readonly watch: CometWatch
}

export interface ConsensusOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  /** True under --dev. */
  readonly dev: boolean
  /** Accounts that the node signs for under --dev. */
  readonly developers?: DeveloperAccounts | undefined
  readonly logger: Logger
  /** Undefined on a node that does not sign. */
  readonly validator: BlockSigner | undefined
  readonly chain: ChainParts
  readonly stores: Stores
  readonly closers: Disposables
  /** Set if CometBFT restored the state: it is already running and waits for the chain. */
  readonly syncing: SyncingComet | undefined
  /** Aborts a long start. */
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  readonly onHalted: (height: number) => void
  /** The next upgrade that this release does not contain. */
  readonly upgrade: UpgradeHalt | undefined
}
