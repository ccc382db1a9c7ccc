import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Genesis } from '../../chain-types/genesis.ts'
import type { Config } from '../../config/schema.ts'
import type { ConsensusEngine } from '../../consensus/application.ts'
import type { BlockStore } from '../../consensus/embedded/block-store.ts'
import { chainOf } from '../../consensus/embedded/chain.ts'
import type { TransactionPool } from '../../consensus/mempool/transaction-pool.ts'
import { StateQuery } from '../../consensus/state-machine/state-query.ts'
import { TransactionIndex } from '../../consensus/tx-index/transaction-index.ts'
import { nodeIdOf, readNodeKey } from '../../consensus/validator/key-file.ts'
import type { Validator } from '../../consensus/validator/validator.ts'
import type { Logger } from '../../log/logger.ts'
import type { ConsensusRpcContext } from '../../rpc/consensus/context.ts'
import { corsHandler } from '../../rpc/consensus/cors.ts'
import { EventHub } from '../../rpc/consensus/event-hub.ts'
import { consensusRpcHandler } from '../../rpc/consensus/handler.ts'
import { ROUTES } from '../../rpc/consensus/routes.ts'
import { withSnapshots } from '../../rpc/consensus/snapshot-routes.ts'
import { SubscriptionSlots } from '../../rpc/consensus/subscription-slots.ts'
import { consensusWebSocketHandler } from '../../rpc/consensus/web-socket.ts'
import { Origins } from '../../server/origins.ts'
import { type Readiness, withReady } from '../../server/readiness.ts'
import type { Listen, Server } from '../../server/server.ts'
import { VirtualHosts } from '../../server/virtual-hosts.ts'
import type { WorkScheduler } from '../../server/work-scheduler.ts'
import type { Closers } from '../closers.ts'
import { type Home, snapshotFolder } from '../home/home.ts'
import type { ChainParts } from '../open/open-chain.ts'
import type { Stores } from '../open/open-stores.ts'
import { VERSION } from '../version.ts'

export interface ConsensusServerOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly stores: Stores
  readonly chain: ChainParts
  readonly engine: ConsensusEngine
  readonly blockStore: BlockStore
  readonly pool: TransactionPool
  /** Undefined on a node that never signs. */
  readonly validator: Validator | undefined
  readonly work: WorkScheduler
  readonly logger: Logger
  readonly readiness: () => Readiness
}

/** A client that sends its request in pieces may pause this long: CometBFT's read timeout. */
const BODY_IDLE_MS = 10_000

/** The index of transactions, unless the configuration wants none. */
function openIndex(
  { home, config, stores, chain, logger }: ConsensusServerOptions,
  closers: Closers,
): TransactionIndex | undefined {
  if (config.txIndex.indexer === 'null') return undefined
  const dir = join(home.data.directory, 'event_index.db')
  const index = new TransactionIndex({
    dir,
    chain: stores.storage.chain,
    heads: chain.application,
    onDropped: (reason) => {
      logger.warn('an index is built again from the blocks', { dir, reason })
    },
    onFailure: (error) => logger.error('transactions are no longer indexed', { dir, error }),
  })
  closers.add(() => index.close())
  return index
}

/** Serves the consensus RPC. */
export async function serveConsensus(
  options: ConsensusServerOptions,
  listen: Listen,
  closers: Closers,
): Promise<Server> {
  const { home, config, genesis, stores, chain, engine, blockStore, pool, validator } = options
  const { application, mempool } = chain
  const { host, port } = config.rpc.laddr
  const hosts = new VirtualHosts(config.evm.virtualHosts)
  let server: Server | undefined
  const context: ConsensusRpcContext = {
    engine,
    application,
    // The application's height, because the storage has a block before the state commit is told of it.
    stateQuery: new StateQuery(stores.committer, () => application.info().lastBlockHeight),
    blockStore,
    executed: stores.storage.chain,
    chain: chainOf(genesis),
    heads: application,
    pool,
    slots: new SubscriptionSlots({
      clients: config.rpc.maxSubscriptionClients,
      perClient: config.rpc.maxSubscriptionsPerClient,
    }),
    eventLogWindowMs: config.rpc.eventLogWindowSize,
    timeoutBroadcastTxCommitMs: config.rpc.timeoutBroadcastTxCommit,
    validator,
    genesisFile: readFileSync(home.config.genesis),
    blockTimeMs: config.consensus.blockTime,
    index: openIndex(options, closers),
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
  const origins = new Origins(config.rpc.corsAllowedOrigins)
  const served = { routes: ROUTES, context, maxBatch: config.rpc.maxRequestBatchSize }
  const hub = new EventHub(context)
  closers.add(() => hub.stop())
  const handler = corsHandler(
    { origins, methods: config.rpc.corsAllowedMethods, headers: config.rpc.corsAllowedHeaders },
    consensusRpcHandler(served),
  )
  server = await listen({
    work: options.work,
    acceptsHost: (name) => hosts.accepts(name),
    host,
    port,
    maxBodyBytes: config.rpc.maxBodyBytes,
    bodyIdleMs: BODY_IDLE_MS,
    maxConnections: config.rpc.maxOpenConnections,
    handler: withReady(withSnapshots(handler, snapshotFolder(home, config)), options.readiness),
    webSocket: consensusWebSocketHandler(served, hub, origins),
  })
  return server
}
