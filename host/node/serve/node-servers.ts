import type { Config } from '../../config/schema.ts'
import type { Logger } from '../../log/logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { chooseTransport } from '../../server/listen.ts'
import type { Listen, Server } from '../../server/server.ts'
import type { WorkScheduler } from '../../server/work-scheduler.ts'
import type { Closers } from '../closers.ts'
import type { ServedChain } from '../open/served-chain.ts'
import type { NodeUrls } from '../running-node.ts'
import { serveEvm } from './serve-evm.ts'

/** The parts that every server of a node is started with. */
export interface ServerContext {
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
  readonly closers: Closers
  /** The account of what clients of all servers cost. */
  readonly work: WorkScheduler
}

/** Requests in progress when the node stops get this long to finish. */
const STOP_GRACE_MS = 5_000

/** How this node listens, by the configuration and what loads. */
export async function chooseListen({ config, logger }: ServerContext): Promise<Listen> {
  const { name, listen } = await chooseTransport(config.evm.rpcServer)
  if (name === 'node' && config.evm.rpcServer === 'auto') {
    logger.warn('uWebSockets.js does not load on this system: node:http serves, at half the rate')
  }
  return listen
}

/** The server, once it listens; it is closed with the node. */
export async function keepServer(server: Promise<Server>, closers: Closers): Promise<Server> {
  const served = await server
  closers.add(() => served.close(STOP_GRACE_MS))
  return served
}

export function urlOf(scheme: string, server: Server): string {
  const host = server.host.includes(':') ? `[${server.host}]` : server.host
  return `${scheme}://${host}:${server.port}`
}

function serveMetrics({ config, metrics, work }: ServerContext, listen: Listen): Promise<Server> {
  const { host, port } = config.instrumentation.prometheusListenAddr
  return listen({
    work,
    host,
    port,
    maxBodyBytes: 0,
    bodyIdleMs: STOP_GRACE_MS,
    maxConnections: 16,
    handler: async ({ path }) =>
      path === '/metrics'
        ? {
            status: 200,
            headers: { 'content-type': metrics.contentType },
            body: await metrics.render(),
          }
        : { status: 404, body: 'metrics are at /metrics\n' },
  })
}

/** Serves the EVM JSON-RPC of a chain and the metrics, as far as they are on. */
export async function serveChain(
  context: ServerContext,
  chain: ServedChain,
  listen: Listen,
): Promise<NodeUrls> {
  const { config, logger, metrics, closers, work } = context
  const evm = config.evm.httpEnabled
    ? await keepServer(serveEvm({ config, chain, logger, metrics, work }, listen, closers), closers)
    : undefined
  const prometheus = config.instrumentation.prometheus
    ? await keepServer(serveMetrics(context, listen), closers)
    : undefined
  return {
    ...(evm !== undefined && { rpc: urlOf('http', evm) }),
    ...(evm !== undefined && config.evm.wsEnabled && { ws: urlOf('ws', evm) }),
    ...(prometheus !== undefined && { metrics: `${urlOf('http', prometheus)}/metrics` }),
  }
}
