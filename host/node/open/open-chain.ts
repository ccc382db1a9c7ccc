import { join } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import { SpeculationPool } from '../../chain/consensus/ahead/speculation-pool.ts'
import { FileJournal } from '../../chain/consensus/mempool/journal.ts'
import type { Mempool } from '../../chain/consensus/mempool/mempool.ts'
import type { PoolRules } from '../../chain/consensus/mempool/pool-options.ts'
import { RecoveryThread } from '../../chain/consensus/mempool/recovery-thread.ts'
import { noPhases, type Phases, timedRecovery } from '../../chain/consensus/phases.ts'
import { EvmApplication } from '../../chain/consensus/state-machine/evm-application.ts'
import { ConsoleDetector } from '../../chain/dev/console-watch.ts'
import type { NextBlockOverrides } from '../../chain/dev/next-block-overrides.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import type { CompiledCodeCounts } from '../../evm/engine/compiled-code.ts'
import { loadEngine } from '../../evm/engine/engine.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { BlockEngine } from '../../evm/execute/block-engine.ts'
import { EnginePool } from '../../evm/execute/engine-pool.ts'
import type { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import type { LiveSettings } from '../live-settings.ts'
import { VERSION } from '../version.ts'
import { compileEngine, readModule } from '../wasm.ts'
import { drivenRules, openMempool } from './open-mempool.ts'
import type { Stores } from './open-stores.ts'
import { openCompiledCode } from './region-compiling-thread.ts'

/** The state machine, its inputs, and the engines for calls and traces. */
export interface ChainParts {
  readonly application: EvmApplication
  readonly mempool: Mempool
  readonly recovery: SignatureRecovery
  readonly engines: EnginePool<BlockEngine>
  readonly modules: EngineModules
  /** What the engine that executes blocks has compiled; undefined if it compiles nothing. */
  readonly compiledCode: () => CompiledCodeCounts | undefined
  readonly phases: Phases
  /** Set under --dev only. */
  readonly settings: NextBlockOverrides | undefined
  /** Set under --dev only. */
  readonly consoleWatch: ConsoleDetector | undefined
}

export interface ChainOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly stores: Stores
  /** Set under --dev only. */
  readonly settings?: NextBlockOverrides | undefined
  /** Modules that are already compiled, or being compiled while the stores open. */
  readonly modules?: Promise<EngineModules> | undefined
  readonly logger: Logger
  /** Absent if the settings do not change. */
  readonly live?: LiveSettings | undefined
  /** Called if a worker of the chain dies, after which the node cannot continue. */
  readonly onError: (error: unknown) => void
}

/** Engines for calls and traces; each retains the memory of its largest run. */
const ENGINES_BESIDE = 4

/** Returns the pool rules that follow from genesis and configuration. */
function poolRules({ params }: Genesis, config: Config, live: LiveSettings | undefined): PoolRules {
  return {
    chainId: params.chainId,
    revision: params.revision,
    maxGas: params.maxGas,
    minBaseFee: params.feeMarket.minBaseFee,
    get minTip() {
      return (live?.config ?? config).minimumGasPrices
    },
    maxTransactionBytes: config.mempool.maxTxBytes,
    allowUnprotected: false,
    isDevelopment: params.isDevelopment === true,
  }
}

/**
 * Opens a thread for sender recovery. Undefined if each transaction is awaited in its own block: the round trip would
 * take longer than the recovery, and nothing else runs meanwhile.
 */
async function openRecoveryThread(
  phases: Phases,
  { config, settings, onError }: ChainOptions,
  closers: Disposables,
): Promise<RecoveryThread | undefined> {
  if (settings !== undefined && config.dev.automine) return undefined
  const module = await WebAssembly.compile(await readModule('recovery'))
  const thread = new RecoveryThread(module, phases, onError)
  closers.add(() => thread.close())
  return thread
}

/**
 * Opens threads that execute transactions speculatively. Undefined if blocks run in order, as under --dev, and if
 * other threads cannot read the state.
 */
function openAheadThreads(
  modules: EngineModules,
  phases: Phases,
  { config, settings, stores, logger }: ChainOptions,
  closers: Disposables,
): SpeculationPool | undefined {
  const count = config.evm.parallelExecution
  if (count === 0 || settings !== undefined) return undefined
  const { publisher } = stores.storage
  if (publisher === undefined) {
    const backend = config.stateStore.ssBackend
    logger.warn('blocks run in order: only the main thread can read this state', {
      backend,
      remedy: 'omit evm.parallel_execution, or use ss-backend = "lmdb"',
    })
    return undefined
  }
  const threads = new SpeculationPool({
    count,
    modules,
    states: publisher,
    phases,
    onError: (error) => logger.error('blocks continue without it', { error }),
  })
  closers.add(() => threads.close())
  return threads
}

/** Loads the engine and opens the state machine on the stores. */
export async function openChain(options: ChainOptions, closers: Disposables): Promise<ChainParts> {
  const { home, config, genesis, stores, settings, logger } = options
  const modules = await (options.modules ?? compileEngine(config.evm))
  const { engine: module, pairing, chainModules } = modules
  const phases = noPhases()
  // A separate instance, since hashing and recovery must not wait for a running transaction.
  const recovery = timedRecovery(await loadEngine(module), phases)
  const deferredRecovery = await openRecoveryThread(phases, options, closers)
  const rules = poolRules(genesis, config, options.live)
  const mempool = openMempool(
    {
      config,
      logger,
      rules: settings === undefined ? rules : drivenRules(rules, settings),
      recovery,
      deferredRecovery,
      journal: new FileJournal(join(home.data.directory, 'mempool.journal'), (error) =>
        logger.error('the journal of the mempool could not be rewritten', { error }),
      ),
    },
    closers,
  )
  const aheadThreads = openAheadThreads(modules, phases, options, closers)
  const consoleWatch = settings && new ConsoleDetector()
  const onDeath = (error: unknown) => logger.error('all EVM code is interpreted', { error })
  const compiledCode = openCompiledCode(modules, onDeath, closers)
  const open = () => loadEngine(module, { pairing, chainModules, compiledCode })
  const engine = await open()
  const application = new EvmApplication({
    genesis,
    storage: stores.amended,
    committer: stores.committer,
    ...(stores.journal !== undefined && { amendments: stores.journal }),
    engine,
    aheadThreads,
    recovery,
    mempool,
    phases,
    watched: consoleWatch && ((view) => consoleWatch.over(view)),
    verifyProposals: config.consensus.verifyProposals,
    version: VERSION,
    pause: yieldToEventLoop,
    onListenerError: (error) => logger.error('a listener of new blocks failed', { error }),
  })
  const waiting = config.evm.maxConcurrentSimulationCalls
  const engines = new EnginePool<BlockEngine>(
    open,
    ENGINES_BESIDE,
    waiting,
    (engine) => engine.isUsable,
  )
  return {
    application,
    mempool,
    recovery,
    engines,
    modules,
    compiledCode: () => engine.compiledCode,
    phases,
    settings,
    consoleWatch,
  }
}
