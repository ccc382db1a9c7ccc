import type { Logger } from '../../base/log/logger.ts'
import type { AbciApplication } from '../../chain/consensus/abci/abci-application.ts'
import { BootstrapApplication } from '../../chain/snapshot/abci/bootstrap-application.ts'
import { SnapshotCatalog } from '../../chain/snapshot/abci/snapshot-catalog.ts'
import { type RestoreReport, SnapshotRestore } from '../../chain/snapshot/abci/snapshot-restore.ts'
import type { ImportStep } from '../../chain/snapshot/import-snapshot.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import { snapshotFolder } from '../home/home.ts'
import { readRestored } from '../home/restored-snapshot.ts'
import { type HomeContext, readOwnGenesis } from '../offline/home-snapshots.ts'
import { RestoredHome } from '../offline/restored-home.ts'
import {
  arrivalFolder,
  checkStateSync,
  hasChain,
  syncServers,
  syncTrust,
} from '../offline/state-sync-home.ts'
import { VERSION } from '../version.ts'
import { CometDriver } from './comet-driver.ts'

/** A CometBFT that runs before the node has its chain, and then continues with it. */
export interface SyncingComet {
  readonly driver: CometDriver
  readonly snapshots: SnapshotRestore
  /** Answers the calls that CometBFT is waiting for, with the opened chain's application. */
  serve(application: AbciApplication): void
}

export interface SyncCometOptions {
  readonly context: HomeContext
  readonly closers: Disposables
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/** Minimum time between log lines about chunks and imports, ms. */
const PROGRESS_MS = 5_000

/** Rate limiter: true at most every few seconds. */
class Pace {
  #saidAt = Number.NEGATIVE_INFINITY

  get isDue(): boolean {
    if (performance.now() - this.#saidAt < PROGRESS_MS) return false
    this.#saidAt = performance.now()
    return true
  }
}

function restoreLog(logger: Logger): RestoreReport {
  const pace = new Pace()
  return {
    chosen: ({ height, appHash, chunks }) => {
      logger.info('state sync: accepting a snapshot', { height, appHash, chunks: chunks.length })
    },
    arrived: (chunks, of) => {
      if (chunks < of && !pace.isDue) return
      logger.info('state sync: chunks applied', { chunks, of })
    },
    punished: (sender, reason) => {
      logger.error('state sync: a peer is no longer used', { peer: sender, reason })
    },
    refused: (height, reason) => {
      logger.error('state sync: a snapshot is rejected', { height, reason })
    },
  }
}

function importLog(logger: Logger): (step: ImportStep) => void {
  const pace = new Pace()
  return (step) => {
    const { kind, ...amounts } = step
    const isPart = kind === 'rows' || kind === 'chunk'
    if (!isPart || pace.isDue) logger.info('state sync: importing', { step: kind, ...amounts })
  }
}

/**
 * Returns whether CometBFT starts from a snapshot, or may not yet know of the one that the home was restored from.
 * @throws CONFIG_INVALID
 */
function needsSnapshot({ home, config, logger }: HomeContext): boolean {
  if (!config.statesync.enable) return false
  checkStateSync(config)
  if (!hasChain(home, config) || readRestored(home.data.directory) !== undefined) return true
  logger.info('Found local state with non-zero height, skipping state sync')
  return false
}

/**
 * Restores an empty home from a snapshot that CometBFT fetches from its peers. Starts CometBFT, and resolves when the
 * chain can be opened. Undefined if the home needs no snapshot.
 * @throws CONFIG_INVALID, UNTRUSTED, STORE_FULL, CometBFT's failure, the signal's reason
 */
export async function syncCometBft(options: SyncCometOptions): Promise<SyncingComet | undefined> {
  const { context, closers, signal } = options
  const { home, config, logger } = context
  if (!needsSnapshot(context)) return undefined
  const genesis: Genesis = readOwnGenesis(home)
  const servers = syncServers(config, genesis, signal)
  const trust = await syncTrust(config, genesis, servers, { logger, signal })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const wanted = Promise.withResolvers<void>()
  const chain = Promise.withResolvers<AbciApplication>()
  const onError = (error: unknown): void => {
    failed.reject(error)
    options.onError(error)
  }
  signal.addEventListener('abort', () => failed.reject(signal.reason), { once: true })
  const log = importLog(logger)
  const restored = new RestoredHome({
    context,
    open: async () => {
      wanted.resolve()
      await chain.promise
    },
    onStep: (step) => {
      signal.throwIfAborted()
      log(step)
    },
  })
  const snapshots = new SnapshotRestore({
    catalog: new SnapshotCatalog(snapshotFolder(home, config)),
    chainId: genesis.consensusChainId,
    folder: arrivalFolder(home, config),
    home: restored,
    report: restoreLog(logger),
  })
  const isRestored = (): boolean => restored.restored !== undefined
  const application = new BootstrapApplication({
    snapshots,
    isRestored,
    chain: chain.promise,
    version: VERSION,
  })
  const driver = new CometDriver({ home, config, logger, onError })
  closers.add(() => driver.close())
  await driver.drive({ application, nextHeight: () => 0, onUp: () => {} })
  logger.info('state sync: asking peers for snapshots', { trustHeight: trust.height })
  // If CometBFT already has a state, its RPC responds only after the chain is open.
  const started = driver.start(trust, signal)
  await Promise.race([wanted.promise, failed.promise, started.then(() => wanted.promise)])
  return { driver, snapshots, serve: (served) => chain.resolve(served) }
}
