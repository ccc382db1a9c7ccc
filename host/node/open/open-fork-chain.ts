import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import type { Logger } from '../../base/log/logger.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import { IN_SYNC } from '../../chain/consensus/application.ts'
import type { Mempool } from '../../chain/consensus/mempool/mempool.ts'
import { RecoveryThread } from '../../chain/consensus/mempool/recovery-thread.ts'
import { noPhases, type Phases, timedRecovery } from '../../chain/consensus/phases.ts'
import { amendedStorage } from '../../chain/dev/amended-state.ts'
import { ConsoleDetector } from '../../chain/dev/console-watch.ts'
import { DevJournal } from '../../chain/dev/dev-journal.ts'
import { ForkChain } from '../../chain/dev/fork/fork-chain.ts'
import { forkHeaderFields } from '../../chain/dev/fork/fork-headers.ts'
import { ForkRules } from '../../chain/dev/fork/fork-rules.ts'
import { ForkedHistory } from '../../chain/dev/fork/forked-history.ts'
import { fundedAccounts } from '../../chain/dev/fork/funded-accounts.ts'
import { type OpenedFork, openFork } from '../../chain/dev/fork/open-fork.ts'
import type { NextBlockOverrides } from '../../chain/dev/next-block-overrides.ts'
import { loadEngine } from '../../evm/engine/engine.ts'
import type { BlockEngine } from '../../evm/execute/block-engine.ts'
import { EnginePool } from '../../evm/execute/engine-pool.ts'
import { OverlayState } from '../../evm/state/overlay-state.ts'
import type { NodeStorage } from '../../storage/store/node-storage.ts'
import { openHasher } from '../commit-hasher.ts'
import type { Disposables } from '../disposables.ts'
import { hardforkOf } from '../home/dev-genesis.ts'
import type { DeveloperAccounts } from '../home/developer-accounts.ts'
import type { Home } from '../home/home.ts'
import { compileEngine, readModule } from '../wasm.ts'
import { drivenRules, openMempool } from './open-mempool.ts'
import { openHomeStorage } from './open-stores.ts'
import { openCompiledCode } from './region-compiling-thread.ts'
import { historyOf, type ServedChain } from './served-chain.ts'

export interface ForkChainSite {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  /** Accounts funded at the start of the chain. */
  readonly developers: Pick<DeveloperAccounts, 'keys' | 'balance'>
  /** Next-block overrides, which the pool applies. */
  readonly settings: NextBlockOverrides
  /** Called if a worker of the chain dies, after which the node cannot continue. */
  readonly onError: (error: unknown) => void
}

/** A forked chain with its drivers and services. */
export interface OpenedForkChain {
  readonly fork: OpenedFork
  readonly chain: ForkChain
  readonly journal: DevJournal
  readonly mempool: Mempool
  readonly storage: NodeStorage
  readonly phases: Phases
  readonly served: ServedChain
}

/** Engines for calls and traces; each retains the memory of its largest run. */
const ENGINES_BESIDE = 4

/** Returns the folder of fork caches. */
function cacheFolder({ dev }: Config): string {
  if (dev.forkCache !== '') return resolve(dev.forkCache)
  return join(homedir(), '.lockstep', 'cache', 'fork')
}

/** @throws INVALID_ARGUMENT if the home's chain continues from another block */
function checkHome({ chain }: NodeStorage, { number, hash }: OpenedFork, { root }: Home): void {
  if (chain.latest < 0) return
  const stored = chain.header(number)
  if (chain.earliest === number && stored !== undefined && equalBytes(stored.hash, hash)) return
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `${root} holds a chain that continues from block ${chain.earliest}, but --dev.fork is at block ${number} ${formatData(hash)}`,
    { hint: 'pass its block with --dev.fork-block, use another --home, or none for a new chain' },
  )
}

/**
 * Opens a chain that continues from a block of another chain. @throws errors of `openFork` and the stores,
 * INVALID_ARGUMENT
 */
export async function openForkChain(
  { home, config, logger, developers, settings, onError }: ForkChainSite,
  closers: Disposables,
): Promise<OpenedForkChain> {
  const modules = await compileEngine(config.evm)
  const { engine: module, pairing } = modules
  const phases = noPhases()
  const recovery = timedRecovery(await loadEngine(module), phases)
  const hasher = await openHasher()
  const { fork: url, forkBlock, forkChainId, forkHeaders } = config.dev
  const fork = await openFork({
    url,
    block: forkBlock < 0 ? undefined : forkBlock,
    chainId: forkChainId === 0 ? undefined : BigInt(forkChainId),
    client: { headers: forkHeaderFields(forkHeaders) },
    revision: hardforkOf(config.dev.hardfork),
    cacheDir: cacheFolder(config),
    recovery,
    hasher,
  })
  closers.add(() => fork.close())
  for (const note of fork.point.notes) logger.warn(note)
  const base = { height: fork.number, view: fork.state }
  const storage = await openHomeStorage(home, config, logger, closers, { isLate: true, base })
  checkHome(storage, fork, home)
  const journal = new DevJournal(join(home.data.directory, 'dev'))
  closers.add(() => journal.close())
  // Complete a removal of blocks that a kill interrupted.
  const { unfinishedRemoval: unfinishedCut } = journal
  if (unfinishedCut !== undefined) {
    await storage.cut(unfinishedCut.height)
    journal.endRemoval()
  }
  journal.prune(storage.state.earliest)
  const amended = amendedStorage(storage, journal)
  const rules = new ForkRules({ ...fork.network, isDevelopment: true })
  const recoveryModule = await WebAssembly.compile(await readModule('recovery'))
  const recoveryThread = new RecoveryThread(recoveryModule, phases, onError)
  closers.add(() => recoveryThread.close())
  const { header } = fork.point.executed.block
  const mempool = openMempool(
    {
      config,
      logger,
      rules: drivenRules(
        {
          chainId: rules.chainId,
          revision: rules.rulesOf(header).revision,
          maxGas: header.gasLimit,
          minBaseFee: 0n,
          minTip: config.minimumGasPrices,
          maxTransactionBytes: config.mempool.maxTxBytes,
          allowUnprotected: false,
          isDevelopment: true,
        },
        settings,
      ),
      recovery,
      deferredRecovery: recoveryThread,
      journal: undefined,
    },
    closers,
  )
  const consoleWatch = new ConsoleDetector()
  const onDeath = (error: unknown) => logger.error('all EVM code is interpreted', { error })
  const compiledCode = openCompiledCode(modules, onDeath, closers)
  const open = () => loadEngine(module, { pairing, compiledCode })
  const chain = new ForkChain({
    engine: await open(),
    rules,
    hasher,
    storage,
    journal,
    amended,
    mempool,
    watched: (state) => consoleWatch.over(state),
    pause: yieldToEventLoop,
    onListenerError: (error) => logger.error('a listener of new blocks failed', { error }),
  })
  const accounts = developers.keys.map(({ address }) => address)
  await chain.begin(
    fork.point.executed,
    await fundedAccounts(fork.state, accounts, developers.balance),
  )
  const view = (height: number) => amended.state.view(height)
  const served: ServedChain = {
    storage: amended,
    rules,
    publisher: undefined,
    params: undefined,
    history: historyOf(amended, {
      view,
      before: (height) => view(height - 1),
      fork: (height) => new OverlayState(view(height)),
    }),
    pool: mempool,
    poolRules: mempool.rules,
    heads: chain,
    sync: () => IN_SYNC,
    peers: () => 0,
    keccak256: (bytes) => recovery.keccak256(bytes),
    hasher,
    engines: new EnginePool<BlockEngine>(
      open,
      ENGINES_BESIDE,
      config.evm.maxConcurrentSimulationCalls,
      (engine) => engine.isUsable,
    ),
    modules,
    imported: undefined,
    forked: new ForkedHistory(fork.client, fork.number, fork.point.isWhole),
    addressIndex: undefined,
    dev: undefined,
    consoleWatch,
    consensusBlock: undefined,
    readiness: () => ({ ready: true, height: storage.chain.latest, maxPeerHeight: 0 }),
  }
  return { fork, chain, journal, mempool, storage, phases, served }
}
