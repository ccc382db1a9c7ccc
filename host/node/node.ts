import { join } from 'node:path'
import type { Genesis } from '../chain-types/genesis.ts'
import type { Config } from '../config/schema.ts'
import type { ConsensusEngine } from '../consensus/consensus-engine.ts'
import { BlockStore } from '../consensus/embedded/block-store.ts'
import { startEmbeddedEngine } from '../consensus/embedded/engine.ts'
import { loadValidator, type Validator } from '../consensus/validator/validator.ts'
import { ownRules } from '../execute/own-rules.ts'
import type { Logger } from '../log/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { chooseTransport } from '../server/listen.ts'
import type { Listen, Server } from '../server/server.ts'
import { OverlayState } from '../state/overlay-state.ts'
import type { Storage } from '../store/storage.ts'
import { Closers } from './closers.ts'
import type { Home } from './home.ts'
import { observeBlocks } from './observe-blocks.ts'
import { type ChainParts, openChain } from './open-chain.ts'
import { openStores } from './open-stores.ts'
import type { NodeUrls, RunningNode } from './running-node.ts'
import { serveConsensus } from './serve-consensus.ts'
import { serveEvm } from './serve-evm.ts'
import { historyOf, type ServedChain } from './served-chain.ts'

export interface NodeOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Requests in progress when the node stops get this long to finish. */
const STOP_GRACE_MS = 5_000

interface Consensus {
  readonly engine: ConsensusEngine
  readonly blockStore: BlockStore
  readonly validator: Validator
}

async function startConsensus(
  { home, config, genesis }: NodeOptions,
  { application, mempool }: ChainParts,
  closers: Closers,
  onError: (error: unknown) => void,
): Promise<Consensus> {
  const validator = await loadValidator(home.config.validatorKey, home.data.validatorState)
  const blockStore = new BlockStore(join(home.data.directory, 'blockstore.db'))
  closers.add(() => blockStore.close())
  const { blockTime, createEmptyBlocks, createEmptyBlocksInterval } = config.consensus
  const engine = await startEmbeddedEngine({
    application,
    genesis,
    validator,
    blockStore,
    blockTimeMs: blockTime,
    createEmptyBlocks,
    createEmptyBlocksIntervalMs: createEmptyBlocksInterval,
    onError,
  })
  closers.add(() => engine.stop())
  mempool.onPending(() => engine.notifyTransactions())
  if (mempool.size > 0) engine.notifyTransactions()
  return { engine, blockStore, validator }
}

/** This node's own chain as the EVM JSON-RPC serves it. */
function servedChain(genesis: Genesis, chain: ChainParts, storage: Storage): ServedChain {
  const view = (height: number) => storage.state.view(height)
  return {
    storage,
    rules: ownRules(genesis.params, storage.state),
    history: historyOf(storage, view, (height) => new OverlayState(view(height))),
    pool: chain.mempool,
    heads: chain.application,
    keccak256: (bytes) => chain.recovery.keccak256(bytes),
    engines: chain.engines,
    imported: undefined,
  }
}

function urlOf(scheme: string, server: Server): string {
  const host = server.host.includes(':') ? `[${server.host}]` : server.host
  return `${scheme}://${host}:${server.port}`
}

async function serveMetrics({ config, metrics }: NodeOptions, listen: Listen): Promise<Server> {
  const { host, port } = config.instrumentation.prometheusListenAddr
  return listen({
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

/**
 * Starts a node: stores, state machine, consensus, then the servers; resolves once all answer. What
 * was opened is closed again when a later part fails.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { home, config, genesis, logger, metrics } = options
  const closers = new Closers()
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Whoever waits for it hears of it; until then the rejection is not an unhandled one.
  failed.catch(() => {})
  try {
    const { name, listen } = await chooseTransport(config.evm.rpcServer)
    if (name === 'node' && config.evm.rpcServer === 'auto') {
      logger.warn('uWebSockets.js does not load on this system: node:http serves, at half the rate')
    }
    const stores = await openStores(home, config, logger, closers)
    const chain = await openChain({ home, config, genesis, stores, logger, onError: fail }, closers)
    observeBlocks(chain.application, chain.phases, chain.mempool, logger, metrics)
    const consensus = await startConsensus(options, chain, closers, fail)
    const serve = async (server: Promise<Server>): Promise<Server> => {
      const served = await server
      closers.add(() => served.close(STOP_GRACE_MS))
      return served
    }
    const consensusServer = await serve(
      serveConsensus({ home, config, genesis, chain, ...consensus }, listen),
    )
    const served = servedChain(genesis, chain, stores.storage)
    const evmServer = config.evm.httpEnabled
      ? await serve(serveEvm({ config, chain: served, logger, metrics }, listen, closers))
      : undefined
    const metricsServer = config.instrumentation.prometheus
      ? await serve(serveMetrics(options, listen))
      : undefined
    const urls: NodeUrls = {
      ...(evmServer !== undefined && { rpc: urlOf('http', evmServer) }),
      ...(evmServer !== undefined && config.evm.wsEnabled && { ws: urlOf('ws', evmServer) }),
      consensus: urlOf('http', consensusServer),
      ...(metricsServer !== undefined && { metrics: `${urlOf('http', metricsServer)}/metrics` }),
    }
    return { urls, failed, stop: () => closers.close() }
  } catch (thrown) {
    await closers.close()
    throw thrown
  }
}
