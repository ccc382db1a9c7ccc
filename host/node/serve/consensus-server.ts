import type { SubscriptionSource } from '../../api/rpc/consensus/context.ts'
import { corsHandler } from '../../api/rpc/consensus/cors.ts'
import { consensusRpcHandler } from '../../api/rpc/consensus/handler.ts'
import type { ServedRoutes } from '../../api/rpc/consensus/route.ts'
import { withSnapshots } from '../../api/rpc/consensus/snapshot-routes.ts'
import { SubscriptionSlots } from '../../api/rpc/consensus/subscription-slots.ts'
import { consensusWebSocketHandler } from '../../api/rpc/consensus/web-socket.ts'
import { Origins } from '../../api/server/origins.ts'
import { type Readiness, withReady } from '../../api/server/readiness.ts'
import type { Listen, Server } from '../../api/server/server.ts'
import { VirtualHosts } from '../../api/server/virtual-hosts.ts'
import type { WorkScheduler } from '../../api/server/work-scheduler.ts'
import type { Config } from '../../base/config/schema.ts'
import { type Home, snapshotFolder } from '../home/home.ts'

/** Idle timeout of a request body, as CometBFT's read timeout. */
const BODY_IDLE_MS = 10_000

export interface ConsensusServerParts {
  readonly home: Home
  readonly config: Config
  readonly work: WorkScheduler
  readonly readiness: () => Readiness
}

/** Returns the subscription slots of event clients. */
export function subscriptionSlots({ rpc }: Config): SubscriptionSlots {
  return new SubscriptionSlots({
    clients: rpc.maxSubscriptionClients,
    perClient: rpc.maxSubscriptionsPerClient,
  })
}

/** Listens at the address of the consensus RPC, with the routes of either engine. */
export function listenConsensus<Context>(
  { home, config, work, readiness }: ConsensusServerParts,
  served: Omit<ServedRoutes<Context>, 'maxBatch'>,
  source: SubscriptionSource,
  listen: Listen,
): Promise<Server> {
  const { rpc, evm } = config
  const origins = new Origins(rpc.corsAllowedOrigins)
  const limited = { ...served, maxBatch: rpc.maxRequestBatchSize }
  const handler = corsHandler(
    { origins, methods: rpc.corsAllowedMethods, headers: rpc.corsAllowedHeaders },
    consensusRpcHandler(limited),
  )
  return listen({
    work,
    hosts: new VirtualHosts(evm.virtualHosts),
    host: rpc.laddr.host,
    port: rpc.laddr.port,
    maxBodyBytes: rpc.maxBodyBytes,
    bodyIdleMs: BODY_IDLE_MS,
    maxConnections: rpc.maxOpenConnections,
    handler: withReady(withSnapshots(handler, snapshotFolder(home, config)), readiness),
    webSocket: consensusWebSocketHandler(limited, source, origins),
  })
}
