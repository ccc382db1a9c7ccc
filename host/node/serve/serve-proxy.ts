import type { ProxyContext } from '../../api/rpc/consensus/proxy/context.ts'
import { EventRelay } from '../../api/rpc/consensus/proxy/event-relay.ts'
import { PROXIED_ROUTES } from '../../api/rpc/consensus/proxy/proxied-routes.ts'
import { CometRelay } from '../../api/rpc/consensus/proxy/relay.ts'
import type { Listen, Server } from '../../api/server/server.ts'
import type { ConsensusEngine } from '../../chain/consensus/application.ts'
import { CometRpc } from '../../chain/consensus/cometbft/comet-rpc.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { Disposables } from '../disposables.ts'
import type { ChainParts } from '../open/open-chain.ts'
import type { Stores } from '../open/open-stores.ts'
import {
  type ConsensusServerParts,
  listenConsensus,
  subscriptionSlots,
} from './consensus-server.ts'

export interface ProxyOptions extends ConsensusServerParts {
  readonly stores: Stores
  readonly chain: ChainParts
  readonly engine: ConsensusEngine
  readonly pool: TransactionPool
  /** Socket of CometBFT's RPC. */
  readonly rpcSocket: string
}

/** Timeout of CometBFT's responses, in addition to the wait of broadcast_tx_commit, ms. */
const ANSWER_MS = 30_000

/** Serves the consensus RPC as a proxy of CometBFT's. */
export async function serveProxy(
  options: ProxyOptions,
  listen: Listen,
  closers: Disposables,
): Promise<Server> {
  const { config, stores, chain, engine, pool, rpcSocket } = options
  const { laddr, maxOpenConnections, timeoutBroadcastTxCommit, lagThreshold } = config.rpc
  const { storage } = stores
  // Separate connections, so that client requests do not delay the node's own calls.
  const rpc = new CometRpc({
    socketPath: rpcSocket,
    timeoutMs: timeoutBroadcastTxCommit + ANSWER_MS,
    maxConnections: maxOpenConnections,
  })
  closers.add(() => rpc.close())
  const slots = subscriptionSlots(config)
  let server: Server | undefined
  const context: ProxyContext = {
    relay: new CometRelay(rpc),
    engine,
    pool,
    slots,
    transaction: (hash) => {
      const place = storage.chain.locate(hash)
      return place && storage.chain.transaction(place.height, place.index)
    },
    applicationVersion: chain.application.info().version,
    get rpcAddress() {
      return `tcp://${laddr.host}:${server?.port ?? laddr.port}`
    },
    lagThreshold,
  }
  const events = new EventRelay({ socketPath: rpcSocket, slots })
  closers.add(() => events.stop())
  server = await listenConsensus(options, { routes: PROXIED_ROUTES, context }, events, listen)
  return server
}
