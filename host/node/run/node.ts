import { blockResult } from '../../api/rpc/consensus/block-result.ts'
import type { Readiness } from '../../api/server/readiness.ts'
import { WorkScheduler } from '../../api/server/work-scheduler.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import { neverAborted } from '../../base/signal.ts'
import { removeSnapshotsAbove } from '../../chain/snapshot/snapshot-dir.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { lockstepRules } from '../../evm/execute/lockstep/lockstep-rules.ts'
import { OverlayState } from '../../evm/state/overlay-state.ts'
import { openHasher } from '../commit-hasher.ts'
import { Disposables } from '../disposables.ts'
import type { DeveloperAccounts } from '../home/developer-accounts.ts'
import { type Home, snapshotFolder } from '../home/home.ts'
import type { LiveSettings } from '../live-settings.ts'
import type { HomeContext } from '../offline/home-snapshots.ts'
import { type ChainParts, openChain } from '../open/open-chain.ts'
import { openStores, type Stores } from '../open/open-stores.ts'
import { historyOf, type ServedChain } from '../open/served-chain.ts'
import type { NodeUrls, RunningNode } from '../running-node.ts'
import { chooseListen, keepServer, listenUrl, serveChain } from '../serve/node-servers.ts'
import { openTransactionIndex } from '../serve/open-transaction-index.ts'
import { serveConsensus } from '../serve/serve-consensus.ts'
import { holdWallets, sellResources, serveCometBft } from '../serve/wanted-services.ts'
import { compileEngine } from '../wasm.ts'
import { awaitedUpgradeOf } from './awaited-upgrade.ts'
import type { Consensus } from './consensus.ts'
import { nextBlockOverrides } from './dev-settings.ts'
import { loadSigner } from './node-mode.ts'
import {
  observeBlocks,
  observeClients,
  observeCometBft,
  observeCompiledCode,
  observePool,
  observeStore,
  observeSync,
} from './observe.ts'
import { observeCometNames, observeEthereumNames } from './observe-peer-names.ts'
import { openStorageMode } from './open-storage-mode.ts'
import { readinessOf } from './readiness.ts'
import { scheduleSnapshots } from './schedule-snapshots.ts'
import { startConsensus } from './start-consensus.ts'
import type { SyncCometOptions, SyncingComet } from './sync-cometbft.ts'

export interface NodeOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  /** True under --dev. */
  readonly dev: boolean
  /** Accounts that the node signs for under --dev. */
  readonly developers?: DeveloperAccounts | undefined
  readonly logger: Logger
  readonly metrics: Metrics
  /** Absent if the settings do not change while it runs. */
  readonly live?: LiveSettings | undefined
  /** Aborts a long start, such as one that fetches the state from others. */
  readonly signal?: AbortSignal
}

/** @throws COMETBFT_MISSING */
async function findCometBft({ consensus }: Config, logger: Logger): Promise<void> {
  const { checkCometVersion } = await import('../../chain/consensus/cometbft/comet-version.ts')
  const { cometbft: program } = consensus
  logger.info('CometBFT', { program, version: await checkCometVersion(program) })
}

/** Restores an empty home from the state of other nodes, if configured. */
async function syncState(
  context: HomeContext,
  ends: Omit<SyncCometOptions, 'context'>,
): Promise<SyncingComet | undefined> {
  const { home, config, logger } = context
  if (config.consensus.engine === 'cometbft') {
    const { syncCometBft } = await import('./sync-cometbft.ts')
    return syncCometBft({ context, ...ends })
  }
  if (!config.statesync.enable) return undefined
  const { checkStateSync, hasChain, syncHome } = await import('../offline/state-sync-home.ts')
  checkStateSync(config)
  if (hasChain(home, config)) {
    logger.info('Found local state with non-zero height, skipping state sync')
    return undefined
  }
  await syncHome({ context, signal: ends.signal })
  return undefined
}

/** Returns /block of the consensus RPC. */
function consensusBlockOf(consensus: Consensus): (height: number) => object | Promise<object> {
  if (consensus.kind === 'embedded') {
    return (height) => blockResult(consensus.blockStore.decided(height))
  }
  return async (height) => (await consensus.rpc.call('block', { height: String(height) })) as object
}

/** Returns this node's own chain for the EVM JSON-RPC. */
async function servedChain(
  genesis: Genesis,
  chain: ChainParts,
  { storage: { publisher }, amended: storage }: Stores,
  consensus: Consensus,
  readiness: () => Readiness,
): Promise<Omit<ServedChain, 'addressIndex'>> {
  const { engine, pool } = consensus
  const view = (height: number) => storage.state.view(height)
  return {
    storage,
    rules: lockstepRules(genesis.params, storage.state),
    publisher,
    params: genesis.params,
    history: historyOf(storage, {
      view,
      before: (height) => view(height - 1),
      fork: (height) => new OverlayState(view(height)),
    }),
    pool,
    poolRules: pool === chain.mempool ? chain.mempool.rules : undefined,
    heads: chain.application,
    sync: () => engine.sync,
    peers: () => (consensus.kind === 'cometbft' ? consensus.watch.peers : 0),
    keccak256: (bytes) => chain.recovery.keccak256(bytes),
    hasher: await openHasher(),
    engines: chain.engines,
    modules: chain.modules,
    imported: undefined,
    forked: undefined,
    dev: consensus.kind === 'embedded' ? consensus.dev : undefined,
    consoleWatch: chain.consoleWatch,
    consensusBlock: consensusBlockOf(consensus),
    readiness,
  }
}

/**
 * Starts a node: stores, state machine, consensus, then the servers. Resolves when all of them respond. If a later
 * part fails, the earlier ones are closed.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { home, config, genesis, logger, metrics } = options
  const closers = new Disposables()
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  // The caller may await it later; until then a rejection must not count as unhandled.
  failed.catch(() => {})
  const { promise: halted, resolve: halt } = Promise.withResolvers<number>()
  try {
    const work = new WorkScheduler(config.evm.maxClientBytes)
    const { live } = options
    const context = { config, logger, metrics, closers, work, live }
    const listen = await chooseListen(context)
    const signal = options.signal ?? neverAborted()
    const isEmbedded = config.consensus.engine === 'embedded'
    // Before opening anything that would have to be closed on failure.
    if (!isEmbedded) await findCometBft(config, logger)
    // Under CometBFT there is no dev control: no block is removed, and every height is signed once.
    const isDriven = options.dev && isEmbedded
    const validator = await loadSigner({ ...options, signal, closers, isDriven })
    const syncing = await syncState({ home, config, logger }, { closers, signal, onError: fail })
    const keeping = await openStorageMode({ home, config, logger }, genesis, isDriven, closers)
    // Compiled on V8's threads, while this one opens the stores
    const modules = compileEngine(config.evm)
    modules.catch(() => {})
    const stores = await openStores(home, config, logger, closers, fail, keeping)
    const settings = isDriven ? nextBlockOverrides(config) : undefined
    const chain = await openChain(
      { home, config, genesis, stores, settings, modules, logger, live, onError: fail },
      closers,
    )
    observeBlocks(chain.application, chain.phases, logger, metrics)
    observePool(chain.mempool, metrics)
    observeClients(work, metrics)
    observeStore(stores.storage, metrics)
    observeCompiledCode(chain.compiledCode, metrics)
    const height = stores.storage.chain.latest
    const upgrade = awaitedUpgradeOf({ home, config, genesis, logger, height })
    const consensus = await startConsensus({
      ...options,
      validator,
      chain,
      stores,
      closers,
      syncing,
      signal,
      onError: fail,
      onHalted: halt,
      upgrade,
    })
    const readiness = () => readinessOf(consensus.engine, config.rpc.lagThreshold)
    observeSync(readiness, metrics)
    if (consensus.kind === 'cometbft') observeCometBft(consensus, metrics)
    else if (config.instrumentation.prometheus) {
      observeCometNames({ genesis, chain, consensus, metrics })
    }
    const own = await servedChain(genesis, chain, stores, consensus, readiness)
    const { hashes: index, addresses: addressIndex } = openTransactionIndex(
      { ...context, home },
      own,
      isEmbedded,
    )
    observeEthereumNames(
      {
        height: () => stores.storage.chain.latest,
        counts: () => chain.mempool.counts,
        peers: own.peers,
      },
      metrics,
    )
    const parts = { home, config, genesis, stores, chain, logger, work, readiness }
    const consensusServer =
      consensus.kind === 'embedded'
        ? await keepServer(
            serveConsensus({ ...parts, ...consensus, index }, listen, closers),
            closers,
          )
        : await keepServer(serveCometBft({ ...parts, ...consensus }, listen, closers), closers)
    const snapshots = { home, config, genesis, logger, closers }
    const decided = consensus.kind === 'embedded' ? consensus.blockStore : undefined
    await scheduleSnapshots(snapshots, chain.application, stores, decided)
    chain.application.onRemoval((kept) => {
      removeSnapshotsAbove(snapshotFolder(home, config), kept)
      return undefined
    })
    const served = { ...own, addressIndex }
    const { recovery } = chain
    const site = { home, dev: options.dev, chain: served, recovery }
    const payments = await sellResources(context, site)
    const evm = await serveChain(context, served, listen, home.root)
    const { chainId } = genesis.params
    const wallets = await holdWallets(context, { home, chainId, rpc: evm.rpc })
    const urls: NodeUrls = {
      ...evm,
      consensus: listenUrl('http', consensusServer),
      ...(payments !== undefined && { payments: payments.url, paymentToken: payments.token }),
      ...(wallets !== undefined && { wallets }),
    }
    return { urls, halted, failed, stop: () => closers.close() }
  } catch (thrown) {
    await closers.close()
    throw thrown
  }
}
