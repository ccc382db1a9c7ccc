import { resolve } from 'node:path'
import { chooseTransport } from '../../api/server/listen.ts'
import type { Listen, Server } from '../../api/server/server.ts'
import { CONFIG_FILES } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Disposables } from '../disposables.ts'
import type { ServedChain } from '../open/served-chain.ts'
import type { NodeUrls } from '../running-node.ts'
import { EXPLORER_PATH } from './explorer-files.ts'
import { type EvmListeners, evmListeners } from './serve-evm.ts'
import { openExplorer } from './serve-explorer.ts'
import type { ServerContext } from './server-context.ts'
import { SubmissionLog } from './submission-log.ts'
import { serveOnThreads } from './wanted-threads.ts'

/** How long requests in progress may take to finish when the node stops, ms. */
const STOP_GRACE_MS = 5_000

/** Returns this node's HTTP transport, by the configuration and what loads. */
export async function chooseListen({ config, logger }: ServerContext): Promise<Listen> {
  const { name, listen } = await chooseTransport(config.evm.rpcServer)
  if (name === 'node' && config.evm.rpcServer === 'auto') {
    logger.warn('uWebSockets.js does not load on this system: node:http serves, at half the rate')
  }
  return listen
}

/** Returns the listening server, and registers its closing. */
export async function keepServer(server: Promise<Server>, closers: Disposables): Promise<Server> {
  const served = await server
  closers.add(() => served.close(STOP_GRACE_MS))
  return served
}

export function listenUrl(scheme: string, { host, port }: Pick<Server, 'host' | 'port'>): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Returns the explorer's URL for a browser on this machine, which cannot open a wildcard address. */
function explorerUrlOf({ host, port }: Server): string {
  const opened = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${listenUrl('http', { host: opened, port })}${EXPLORER_PATH}`
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

/** Default of `ws_port`. */
const DEFAULT_WS_PORT = CONFIG_FILES['app.toml'].sections.evm.ws_port.fallback

/**
 * Serves WebSocket on `ws_port`. If its default port is taken, it is skipped, as for a second node on free ports, or
 * one whose http_port equals ws_port.
 * @throws PORT_IN_USE for a configured port
 */
async function serveWebSocketAlone(
  { config, logger, closers }: ServerContext,
  { webSocket }: EvmListeners,
): Promise<Server | undefined> {
  const { httpEnabled, httpPort, wsPort } = config.evm
  const isDefault = wsPort === DEFAULT_WS_PORT
  if (httpEnabled && wsPort === httpPort && wsPort !== 0) return undefined
  try {
    const server = await webSocket(isDefault && httpPort === 0 ? 0 : wsPort)
    closers.add(() => server.close(STOP_GRACE_MS))
    logger.info('WebSocket has a port of its own', { url: listenUrl('ws', server) })
    return server
  } catch (thrown) {
    const isTaken = thrown instanceof LockstepError && thrown.code === 'PORT_IN_USE'
    if (!isTaken || !isDefault || !httpEnabled) throw thrown
    logger.warn('ws_port is in use: WebSocket is served on http_port only', { wsPort })
    return undefined
  }
}

async function serveIpc(
  { config, logger, closers }: ServerContext,
  { ipc }: EvmListeners,
  root: string,
): Promise<void> {
  const path = resolve(root, config.evm.ipcPath)
  const server = await ipc(path)
  closers.add(() => server.close())
  logger.info('the EVM JSON-RPC is served at a socket', { path })
}

/** Serves the EVM JSON-RPC of a chain and the metrics, if enabled. Relative paths are below the folder `root`. */
export async function serveChain(
  context: ServerContext,
  chain: ServedChain,
  listen: Listen,
  root: string,
): Promise<NodeUrls> {
  const { config, logger, metrics, closers, work, live } = context
  const { httpEnabled, wsEnabled, ipcPath } = config.evm
  const explorer = await openExplorer(config)
  if (httpEnabled && explorer.missing !== undefined) {
    logger.warn('the explorer is not served', { reason: explorer.missing })
  }
  let explorerUrl: string | undefined
  const pageOf = (hash: string) =>
    explorerUrl === undefined ? undefined : `${explorerUrl}/tx/${hash}`
  const submissions = new SubmissionLog(logger, pageOf)
  closers.add(() => submissions.close())
  const parts = { config, chain, logger, metrics, work, explorer, submissions, live }
  const threads = await serveOnThreads(context, chain, async (handedIn) => {
    const ends = await chain.pool.addAll(handedIn)
    for (const end of ends) if (end instanceof Uint8Array) submissions.note(end)
    return ends
  })
  const listens =
    threads === undefined
      ? { http: listen, webSocket: listen }
      : { http: threads.listener(true), webSocket: threads.listener(false) }
  const isServed = httpEnabled || wsEnabled || ipcPath !== ''
  const listeners = isServed ? evmListeners(parts, listens, closers) : undefined
  const evm =
    listeners !== undefined && httpEnabled ? await keepServer(listeners.http(), closers) : undefined
  if (evm !== undefined && explorer.isServed) explorerUrl = explorerUrlOf(evm)
  const alone =
    listeners !== undefined && wsEnabled ? await serveWebSocketAlone(context, listeners) : undefined
  const ws = wsEnabled ? (evm ?? alone) : undefined
  if (listeners !== undefined && ipcPath !== '') await serveIpc(context, listeners, root)
  const prometheus = config.instrumentation.prometheus
    ? await keepServer(serveMetrics(context, listen), closers)
    : undefined
  return {
    ...(evm !== undefined && { rpc: listenUrl('http', evm) }),
    ...(explorerUrl !== undefined && { explorer: explorerUrl }),
    ...(ws !== undefined && { ws: listenUrl('ws', ws) }),
    ...(prometheus !== undefined && { metrics: `${listenUrl('http', prometheus)}/metrics` }),
  }
}
