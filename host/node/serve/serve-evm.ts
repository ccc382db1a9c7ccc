import { AnswerCache } from '../../api/rpc/call/answer-cache.ts'
import type { RpcContext } from '../../api/rpc/call/context.ts'
import { submitted } from '../../api/rpc/eth/transaction.ts'
import { METHODS } from '../../api/rpc/methods.ts'
import { Dispatcher } from '../../api/rpc/protocol/dispatcher.ts'
import { rpcHttpHandler } from '../../api/rpc/protocol/http-handler.ts'
import { rpcWebSocketHandler } from '../../api/rpc/protocol/web-socket-handler.ts'
import { FilterRegistry } from '../../api/rpc/subscription/filter-registry.ts'
import { SubscriptionHub } from '../../api/rpc/subscription/subscription-hub.ts'
import { compressedHandler } from '../../api/server/content-coding.ts'
import { type IpcServer, listenIpc } from '../../api/server/ipc-server.ts'
import { Origins } from '../../api/server/origins.ts'
import type { Listen, Server } from '../../api/server/server.ts'
import { VirtualHosts } from '../../api/server/virtual-hosts.ts'
import type { WorkScheduler } from '../../api/server/work-scheduler.ts'
import { TraceAttempts } from '../../api/trace-pool/trace-attempts.ts'
import { TraceCache } from '../../api/trace-pool/trace-cache.ts'
import { type TraceObserver, TracePool } from '../../api/trace-pool/trace-pool.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import type { ConsoleDetector } from '../../chain/dev/console-watch.ts'
import type { DevChain } from '../../chain/dev/dev-chain.ts'
import { PendingBlocks } from '../../evm/execute/pending-block.ts'
import { intermediateRoots } from '../../evm/execute/replay/intermediate-roots.ts'
import { replayAccessList } from '../../evm/execute/replay/replay-access-list.ts'
import { replayDiff } from '../../evm/execute/replay/replay-onto.ts'
import { BlockSimulator } from '../../evm/execute/simulate/block-simulator.ts'
import { Simulator } from '../../evm/execute/simulate/simulator.ts'
import type { Disposables } from '../disposables.ts'
import type { LiveSettings } from '../live-settings.ts'
import type { ServedChain } from '../open/served-chain.ts'
import { CLIENT_VERSION } from '../version.ts'
import { ConsoleOutput } from './console-output.ts'
import { countCalls } from './count-calls.ts'
import { withExplorer } from './explorer-handler.ts'
import { followDevChain } from './follow-dev-chain.ts'
import { rpcLimits, scriptBytes, scriptThreads } from './rpc-limits.ts'
import type { ServedExplorer } from './serve-explorer.ts'
import { logSlow, SlowRequests } from './slow-requests.ts'
import type { SubmissionLog } from './submission-log.ts'

/** Dependencies of the RPC methods. */
export interface RpcParts {
  readonly config: Config
  readonly chain: ServedChain
  readonly logger: Logger
  readonly metrics: Metrics
  readonly work: WorkScheduler
  /** Receives transactions that clients submit. */
  readonly submissions: SubmissionLog
  readonly live?: LiveSettings | undefined
}

export interface EvmServerOptions extends RpcParts {
  readonly explorer: ServedExplorer
}

/** Hardhat's helpers require a version that begins with hardhat, zksync or anvil. */
const DEV_PREFIX = 'anvil-compatible/'

/** Cache for answers about finished blocks, bytes: some 20,000 receipts. */
const ANSWER_BYTES = 32 * 1024 * 1024

/** Returns the context of the RPC methods for one chain. */
export function rpcContext({
  config,
  chain,
  logger,
  metrics,
  work,
  submissions,
  live,
}: RpcParts): RpcContext {
  const {
    storage,
    pool,
    heads,
    sync,
    peers,
    rules,
    history,
    keccak256,
    hasher,
    engines,
    modules,
    imported,
    forked,
    addressIndex,
    dev,
    consensusBlock,
  } = chain
  const limits = { ...rpcLimits(config) }
  const count = countCalls(metrics)
  const slow = new SlowRequests(config.evm.slowRequest, (request) => logSlow(logger, request))
  live?.onChange((changed) => {
    // The parts that were given the limits share this object.
    Object.assign(limits, rpcLimits(changed))
    slow.thresholdMs = changed.evm.slowRequest
  })
  const execution = { history, rules, keccak256, engines }
  const pendingBlocks = new PendingBlocks({
    ...execution,
    hasher,
    pool,
    latest: () => storage.chain.latest,
    clock: () => Date.now(),
    timer: () => performance.now(),
    pause: yieldToEventLoop,
    ...(dev !== undefined && { upcoming: () => dev.upcoming }),
  })
  const context: RpcContext = {
    chain: storage.chain,
    state: storage.state,
    pool,
    heads,
    sync,
    peers,
    rules,
    history,
    imported,
    forked,
    addressIndex,
    dev,
    consensusBlock,
    engineHash: modules.engineHash,
    keccak256,
    pendingBlocks,
    simulator: new Simulator({ ...execution, gasCap: limits.simulationGas }),
    blockSimulator: new BlockSimulator({ ...execution, hasher, gasCap: limits.simulationGas }),
    intermediateRoots: (height, costs) => intermediateRoots(execution, height, costs),
    accessListOf: (height, costs) => replayAccessList(execution, height, costs),
    replay: (height, costs, count) => replayDiff(execution, height, costs, count),
    traces: new TracePool({
      modules,
      states: chain.publisher,
      threads: config.evm.traceWorkers,
      scriptThreads: scriptThreads(config.evm),
      scriptBytes: scriptBytes(config.evm),
      turnMs: config.evm.traceScriptTurn,
      maxTraces: config.evm.maxConcurrentTraceCalls,
      observer: observeTraces(logger, metrics),
      attempts: new TraceAttempts(modules),
    }),
    traceCache: new TraceCache(config.evm.traceCacheBytes, (isHit) => {
      metrics.add('lockstep_trace_cache_lookups_total', { result: isHit ? 'hit' : 'miss' })
    }),
    answers: new AnswerCache(ANSWER_BYTES),
    filters: new FilterRegistry(pool, limits),
    subscriptions: new SubscriptionHub(heads, pool, chain.rules, keccak256, limits),
    limits,
    submit: (raw) => submitted(context, pool.add(raw)),
    work,
    clientVersion: dev === undefined ? CLIENT_VERSION : `${DEV_PREFIX}${CLIENT_VERSION}`,
    denied: new Set(config.evm.denyList),
    observer: {
      onAnswer: (method, code, milliseconds) => {
        count(method, code, milliseconds)
        slow.note(method, code, milliseconds)
      },
      onDefect: (method, error) => logger.error('a method failed', { method, error }),
      onSubmit: (hash) => submissions.note(hash),
    },
  }
  if (dev !== undefined) followDevChain(dev, { ...context, pendingBlocks })
  return context
}

function observeTraces(logger: Logger, metrics: Metrics): TraceObserver {
  return {
    onLoad: (queued, running) => {
      metrics.set('lockstep_traces_queued', {}, queued)
      metrics.set('lockstep_traces_running', {}, running)
    },
    onEnd: (end) => metrics.add('lockstep_traces_total', { end }),
    onDifference: (error) => {
      metrics.add('lockstep_trace_differences_total', {})
      logger.error('a trace differs from the receipt', { error })
    },
    onDeath: (error) => {
      metrics.add('lockstep_trace_threads_lost_total', {})
      logger.warn('a trace thread died', { error })
    },
  }
}

/** Transports of the EVM JSON-RPC ports. */
export interface EvmListens {
  readonly http: Listen
  /** For the WebSocket-only port. */
  readonly webSocket: Listen
}

/** Starters of the EVM JSON-RPC listeners, each independent. */
export interface EvmListeners {
  /** HTTP, and WebSocket on the same port. */
  readonly http: () => Promise<Server>
  /** WebSocket only. */
  readonly webSocket: (port: number) => Promise<Server>
  /** JSON-RPC at a Unix socket. */
  readonly ipc: (path: string) => Promise<IpcServer>
}

/** Response of the WebSocket-only port to a request that is not an upgrade. */
const UPGRADE_REQUIRED = {
  status: 426,
  headers: { upgrade: 'websocket' },
  body: 'this port serves only WebSocket\n',
}

/** Returns the context of a development chain, with console output of contracts in the node's log. */
function withConsole(
  context: RpcContext,
  dev: DevChain,
  consoleWatch: ConsoleDetector,
  { chain: { heads }, logger }: RpcParts,
  closers: Disposables,
): RpcContext {
  const { history, rules, keccak256, traces, limits } = context
  const { trace, traceTimeoutMs } = limits
  const source = { heads, history, rules, keccak256, traces, limits: trace, traceTimeoutMs }
  const output = new ConsoleOutput(
    {
      ...source,
      isLogging: () => dev.isLogging,
      mayHaveLogged: () => consoleWatch.take(),
    },
    logger,
  )
  closers.add(() => output.close())
  return { ...context, simulator: output.watch(context.simulator) }
}

/** Returns the listeners of the EVM JSON-RPC. */
export function evmListeners(
  options: EvmServerOptions,
  listens: EvmListens,
  closers: Disposables,
): EvmListeners {
  const { evm } = options.config
  const plain = rpcContext(options)
  closers.add(() => plain.filters.close())
  closers.add(() => plain.subscriptions.close())
  closers.add(() => plain.traces.close())
  const { dev } = plain
  const { consoleWatch } = options.chain
  const context =
    dev === undefined || consoleWatch === undefined
      ? plain
      : withConsole(plain, dev, consoleWatch, options, closers)
  const dispatcher = new Dispatcher(context, METHODS)
  const webSocket = rpcWebSocketHandler({
    dispatcher,
    subscriptions: context.subscriptions,
    origins: new Origins(evm.wsOrigins),
  })
  const corsOrigins = new Origins(evm.corsOrigins)
  options.live?.onChange((changed) => corsOrigins.replace(changed.evm.corsOrigins))
  const handler = rpcHttpHandler({
    dispatcher,
    corsOrigins,
    readiness: options.chain.readiness,
    isDevelopment: dev !== undefined,
  })
  const common = {
    work: options.work,
    hosts: new VirtualHosts(evm.virtualHosts),
    host: evm.httpAddress,
    maxBodyBytes: evm.maxRequestBodyBytes,
    bodyIdleMs: evm.bodyReadIdleTimeout,
    maxConnections: evm.maxOpenConnections,
  }
  return {
    http: () =>
      listens.http({
        ...common,
        port: evm.httpPort,
        handler: withExplorer(
          compressedHandler(handler, evm.httpCompression),
          options.explorer.handler,
          (status) => {
            options.metrics.add('lockstep_explorer_requests_total', { status: String(status) })
          },
        ),
        ...(evm.wsEnabled && { webSocket }),
      }),
    webSocket: (port) =>
      listens.webSocket({ ...common, port, handler: () => UPGRADE_REQUIRED, webSocket }),
    ipc: (path) => listenIpc({ ...common, path, handler: webSocket }),
  }
}
