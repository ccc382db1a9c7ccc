import { join } from 'node:path'
import type { Genesis } from '../../chain-types/genesis.ts'
import type { DeferredRecovery, SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import type { Config } from '../../config/schema.ts'
import { FileJournal } from '../../consensus/mempool/journal.ts'
import { Mempool, type Restored } from '../../consensus/mempool/mempool.ts'
import { RecoveryThread } from '../../consensus/mempool/recovery-thread.ts'
import { noPhases, type Phases, timedRecovery } from '../../consensus/phases.ts'
import { EvmApplication } from '../../consensus/state-machine/evm-application.ts'
import { loadEngine } from '../../engine/engine.ts'
import type { EngineModules } from '../../engine/engine-modules.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import { EnginePool } from '../../execute/engine-pool.ts'
import type { Logger } from '../../log/logger.ts'
import type { Closers } from '../closers.ts'
import type { Home } from '../home/home.ts'
import { VERSION } from '../version.ts'
import { compileEngine } from '../wasm.ts'
import type { Stores } from './open-stores.ts'

/** The state machine with what feeds it, and the engines for work beside it. */
export interface ChainParts {
  readonly application: EvmApplication
  readonly mempool: Mempool
  readonly recovery: SignatureRecovery
  readonly engines: EnginePool<BlockEngine>
  readonly modules: EngineModules
  readonly phases: Phases
}

export interface ChainOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly stores: Stores
  readonly logger: Logger
  /** A thread of the chain died: the node cannot go on. */
  readonly onError: (error: unknown) => void
}

/** Engines for calls and traces: each keeps the memory that its largest run touched. */
const ENGINES_BESIDE = 4

/** Milliseconds between two removals of transactions that have waited too long. */
const SWEEP_MS = 1000

function logRestored(logger: Logger, { transactions, dropped, lostBytes }: Restored): void {
  if (transactions > 0) logger.info('mempool restored', { transactions })
  for (const [reason, count] of dropped) {
    logger.info('mempool: transactions of the journal dropped', { transactions: count, reason })
  }
  if (lostBytes > 0) {
    logger.warn('mempool: the journal has bytes that are no whole transaction', {
      bytes: lostBytes,
    })
  }
}

function openMempool(
  { home, config, genesis, logger }: ChainOptions,
  recovery: SignatureRecovery,
  deferredRecovery: DeferredRecovery,
  closers: Closers,
): Mempool {
  const { params } = genesis
  const mempool = new Mempool({
    rules: {
      chainId: params.chainId,
      revision: params.revision,
      maxGas: params.maxGas,
      minBaseFee: params.feeMarket.minBaseFee,
      minTip: config.minimumGasPrices,
      maxTransactionBytes: config.mempool.maxTxBytes,
      allowUnprotected: false,
    },
    limits: {
      maxTransactions: config.mempool.size,
      maxBytes: config.mempool.maxTxsBytes,
      accountSlots: config.mempool.accountSlots,
      accountQueue: config.mempool.accountQueue,
      globalQueue: config.mempool.globalQueue,
      priceBump: config.mempool.priceBump,
      lifetime: config.mempool.lifetime,
      ttlDuration: config.mempool.ttlDuration,
      ttlBlocks: config.mempool.ttlNumBlocks,
    },
    recovery,
    deferredRecovery,
    refusedKept: config.mempool.keepInvalidTxsInCache ? config.mempool.cacheSize : 0,
    journal: new FileJournal(join(home.data.directory, 'mempool.journal'), (error) =>
      logger.error('the journal of the mempool could not be rewritten', { error }),
    ),
    onRestored: (restored) => logRestored(logger, restored),
    clock: () => Date.now(),
  })
  // A chain that makes no empty blocks has no heads by which ages are looked at.
  const sweep = setInterval(() => mempool.expire(), SWEEP_MS)
  closers.add(() => {
    clearInterval(sweep)
    mempool.close()
  })
  return mempool
}

/** Loads the engine and puts the state machine over the stores. */
export async function openChain(options: ChainOptions, closers: Closers): Promise<ChainParts> {
  const { config, genesis, stores, logger, onError } = options
  const modules = await compileEngine()
  const { engine: module, pairing, chainModules } = modules
  const phases = noPhases()
  // An instance of their own, since hashing and recovery must not wait for a message that is being executed.
  const recovery = timedRecovery(await loadEngine(module), phases)
  const recoveryThread = new RecoveryThread(module, phases, onError)
  closers.add(() => recoveryThread.close())
  const mempool = openMempool(options, recovery, recoveryThread, closers)
  const application = new EvmApplication({
    genesis,
    ...stores,
    engine: await loadEngine(module, { pairing, chainModules }),
    recovery,
    mempool,
    phases,
    verifyProposals: config.consensus.verifyProposals,
    version: VERSION,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    onListenerError: (error) => logger.error('a listener of new blocks failed', { error }),
  })
  const waiting = config.evm.maxConcurrentSimulationCalls
  const engines = new EnginePool<BlockEngine>(
    () => loadEngine(module, { pairing, chainModules }),
    ENGINES_BESIDE,
    waiting,
    (engine) => engine.isUsable,
  )
  return { application, mempool, recovery, engines, modules, phases }
}
