import { readFileSync } from 'node:fs'
import type { ConsensusRpcContext, SearchIndex } from '../../api/rpc/consensus/context.ts'
import { EventHub } from '../../api/rpc/consensus/event-hub.ts'
import { CONSENSUS_ROUTES } from '../../api/rpc/consensus/routes.ts'
import type { Listen, Server } from '../../api/server/server.ts'
import type { ConsensusEngine } from '../../chain/consensus/application.ts'
import type { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../chain/consensus/embedded/chain.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import { StateQuery } from '../../chain/consensus/state-machine/state-query.ts'
import { nodeIdOf, readNodeKey } from '../../chain/consensus/validator/key-file.ts'
import type { BlockSigner } from '../../chain/consensus/validator/validator.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import type { ChainParts } from '../open/open-chain.ts'
import type { Stores } from '../open/open-stores.ts'
import { VERSION } from '../version.ts'
import {
  type ConsensusServerParts,
  listenConsensus,
  subscriptionSlots,
} from './consensus-server.ts'

export interface ConsensusServerOptions extends ConsensusServerParts {
  readonly genesis: Genesis
  readonly stores: Stores
  readonly chain: ChainParts
  readonly engine: ConsensusEngine
  readonly blockStore: ConsensusBlockStore
  readonly pool: TransactionPool
  /** Undefined on a node that does not sign. */
  readonly validator: BlockSigner | undefined
  /** Undefined if indexing is off. */
  readonly index: SearchIndex | undefined
}

/** Serves the consensus RPC. */
export async function serveConsensus(
  options: ConsensusServerOptions,
  listen: Listen,
  closers: Disposables,
): Promise<Server> {
  const { home, config, genesis, stores, chain, engine, blockStore, pool, validator, index } =
    options
  const { application, mempool } = chain
  const { host, port } = config.rpc.laddr
  let server: Server | undefined
  const context: ConsensusRpcContext = {
    engine,
    application,
    // The application's height: the storage has a block before the state commit does.
    stateQuery: new StateQuery(stores.committer, () => application.info().lastBlockHeight),
    blockStore,
    executed: stores.storage.chain,
    chain: consensusChainOf(genesis),
    heads: application,
    pool,
    slots: subscriptionSlots(config),
    eventLogWindowMs: config.rpc.eventLogWindowSize,
    timeoutBroadcastTxCommitMs: config.rpc.timeoutBroadcastTxCommit,
    validator,
    genesisFile: readFileSync(home.config.genesis),
    blockTimeMs: config.consensus.blockTime,
    index,
    searchLimits: {
      results: config.rpc.maxTxSearchResults,
      scan: config.rpc.maxSearchScanBudget,
    },
    node: {
      id: nodeIdOf(await readNodeKey(home.config.nodeKey)),
      moniker: config.moniker,
      version: VERSION,
      get rpcAddress() {
        return `tcp://${host}:${server?.port ?? port}`
      },
    },
    unconfirmedTransactions: () => ({ count: mempool.size, bytes: mempool.bytes }),
    lagThreshold: config.rpc.lagThreshold,
  }
  const hub = new EventHub(context)
  closers.add(() => hub.stop())
  server = await listenConsensus(options, { routes: CONSENSUS_ROUTES, context }, hub, listen)
  return server
}
