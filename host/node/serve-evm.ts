import type { Genesis } from '../chain-types/genesis.ts'
import type { Config } from '../config/schema.ts'
import type { History } from '../execute/history.ts'
import { ownRules } from '../execute/own-rules.ts'
import { Replayer } from '../execute/replayer.ts'
import { Simulator } from '../execute/simulator.ts'
import type { Logger } from '../log/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { RpcContext } from '../rpc/context.ts'
import { Dispatcher } from '../rpc/dispatcher.ts'
import { FilterRegistry } from '../rpc/filter-registry.ts'
import { rpcHttpHandler } from '../rpc/http-handler.ts'
import { METHODS } from '../rpc/methods.ts'
import { Origins } from '../rpc/origins.ts'
import { Slots } from '../rpc/slots.ts'
import { SubscriptionHub } from '../rpc/subscription-hub.ts'
import { rpcWebSocketHandler } from '../rpc/web-socket-handler.ts'
import type { Listen, Server } from '../server/server.ts'
import { OverlayState } from '../state/overlay-state.ts'
import type { Storage } from '../store/storage.ts'
import type { Closers } from './closers.ts'
import type { ChainParts } from './open-chain.ts'
import { rpcLimits } from './rpc-limits.ts'
import { VERSION } from './version.ts'

export interface EvmServerOptions {
  readonly config: Config
  readonly genesis: Genesis
  readonly chain: ChainParts
  readonly storage: Storage
  readonly logger: Logger
  readonly metrics: Metrics
}

const CLIENT_VERSION = `lockstep/v${VERSION}/${process.platform}-${process.arch}/node${process.version.slice(1)}`

function rpcContext(options: EvmServerOptions): RpcContext {
  const { config, genesis, chain, storage, logger, metrics } = options
  const { application, mempool, recovery, engines } = chain
  const rules = ownRules(genesis.params, storage.state)
  const limits = rpcLimits(config)
  const keccak256 = (bytes: Uint8Array): Uint8Array => recovery.keccak256(bytes)
  const history: History = {
    header: (height) => storage.chain.header(height),
    block: (height) => storage.chain.block(height),
    receipts: (height) => storage.chain.receipts(height),
    view: (height) => storage.state.view(height),
    fork: (height) => new OverlayState(storage.state.view(height)),
  }
  const execution = { history, rules, keccak256, engines }
  return {
    chain: storage.chain,
    state: storage.state,
    pool: mempool,
    heads: application,
    rules,
    keccak256,
    simulator: new Simulator({ ...execution, gasCap: BigInt(config.evm.simulationGasLimit) }),
    replayer: new Replayer(execution),
    filters: new FilterRegistry(mempool, limits),
    subscriptions: new SubscriptionHub(application, mempool, keccak256, limits),
    traceSlots: new Slots(
      limits.concurrentTraces,
      'trace request rejected due to concurrency limit: server busy',
    ),
    limits,
    clientVersion: CLIENT_VERSION,
    denied: new Set(config.evm.denyList),
    observer: {
      onAnswer: (method, code, milliseconds) => {
        metrics.add('lockstep_rpc_requests_total', { method, code: String(code) })
        metrics.observe('lockstep_rpc_request_seconds', { method }, milliseconds / 1000)
      },
      onDefect: (method, error) => logger.error('a method failed', { method, error }),
    },
  }
}

/** Serves the EVM JSON-RPC: HTTP and WebSocket on one port. */
export function serveEvm(
  options: EvmServerOptions,
  listen: Listen,
  closers: Closers,
): Promise<Server> {
  const { config, storage } = options
  const { evm } = config
  const context = rpcContext(options)
  closers.add(() => context.filters.close())
  closers.add(() => context.subscriptions.close())
  const dispatcher = new Dispatcher(context, METHODS)
  const webSocket = rpcWebSocketHandler({
    dispatcher,
    subscriptions: context.subscriptions,
    origins: new Origins(evm.wsOrigins),
  })
  return listen({
    host: evm.httpAddress,
    port: evm.httpPort,
    maxBodyBytes: evm.maxRequestBodyBytes,
    bodyIdleMs: evm.bodyReadIdleTimeout,
    maxConnections: evm.maxOpenConnections,
    handler: rpcHttpHandler({
      dispatcher,
      corsOrigins: new Origins(evm.corsOrigins),
      health: () => ({ ready: true, details: { height: storage.chain.latest } }),
    }),
    ...(evm.wsEnabled && { webSocket }),
  })
}
