import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { ConsensusEngine } from '../../chain/consensus/application.ts'
import type { CometProcess } from '../../chain/consensus/cometbft/comet-process.ts'
import type { CometRpc } from '../../chain/consensus/cometbft/comet-rpc.ts'
import type { CometWatch } from '../../chain/consensus/cometbft/comet-watch.ts'
import type { BlockStore } from '../../chain/consensus/embedded/block-store.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { Validator } from '../../chain/consensus/validator/validator.ts'
import type { DevChain } from '../../chain/dev/dev-chain.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Closers } from '../closers.ts'
import type { DeveloperAccounts } from '../home/developer-accounts.ts'
import type { Home } from '../home/home.ts'
import type { ChainParts } from '../open/open-chain.ts'
import type { Stores } from '../open/open-stores.ts'
import type { SyncingComet } from './sync-cometbft.ts'

/** What brings a node its blocks, and takes its transactions. */
export type Consensus = EmbeddedConsensus | CometConsensus

interface ConsensusParts {
  readonly engine: ConsensusEngine
  readonly pool: TransactionPool
}

/** The one validator of a chain, or a node that takes its blocks. */
export interface EmbeddedConsensus extends ConsensusParts {
  readonly kind: 'embedded'
  readonly blockStore: BlockStore
  /** Undefined on a node that takes the blocks of others. */
  readonly validator: Validator | undefined
  /** Set under --dev only. */
  readonly dev?: DevChain
}

/** A node of a network: its CometBFT has the blocks. */
export interface CometConsensus extends ConsensusParts {
  readonly kind: 'cometbft'
  readonly rpc: CometRpc
  /** Socket of that RPC, for WebSocket connections. */
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
  /** Undefined on a node that signs nothing. */
  readonly validator: Validator | undefined
  readonly chain: ChainParts
  readonly stores: Stores
  readonly closers: Closers
  /** Set where CometBFT has brought the state: it runs already, and waits for the chain. */
  readonly syncing: SyncingComet | undefined
  /** Ends a start that takes long. */
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  readonly onHalted: (height: number) => void
}
