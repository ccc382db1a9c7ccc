import { WorkScheduler } from '../../api/server/work-scheduler.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import { systemClock } from '../../chain/consensus/embedded/clock.ts'
import { AutominingPool } from '../../chain/dev/automining-pool.ts'
import { DrivenChain } from '../../chain/dev/driven-chain.ts'
import { ForkMaker } from '../../chain/dev/fork/fork-maker.ts'
import { PoolRemover } from '../../chain/dev/pool-remover.ts'
import { Disposables } from '../disposables.ts'
import type { DeveloperAccounts } from '../home/developer-accounts.ts'
import type { Home } from '../home/home.ts'
import { openForkChain } from '../open/open-fork-chain.ts'
import type { RunningNode } from '../running-node.ts'
import { chooseListen, serveChain } from '../serve/node-servers.ts'
import { openTransactionIndex } from '../serve/open-transaction-index.ts'
import { refuseServices } from '../serve/wanted-services.ts'
import { beginningOf, forkOverrides, stateFilesOf, unlockedAccounts } from './dev-settings.ts'
import { observeBlocks, observeClients, observePool, observeStore, observeSync } from './observe.ts'
import { observeEthereumNames } from './observe-peer-names.ts'
import { keepStateFile, loadStateFile } from './state-file-keeper.ts'

export interface ForkNodeOptions {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
  readonly developers: DeveloperAccounts
}

/** A running fork and the block it started from. */
export interface RunningFork extends RunningNode {
  readonly chainId: bigint
}

/**
 * Starts a node that continues from a block of another chain by that chain's rules, without consensus or its RPC.
 * @throws errors of opening the fork and the stores
 */
export async function startForkNode(options: ForkNodeOptions): Promise<RunningFork> {
  const { home, config, logger, metrics, developers } = options
  const closers = new Disposables()
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  // The caller may await it later; until then a rejection must not count as unhandled.
  failed.catch(() => {})
  refuseServices(config)
  const work = new WorkScheduler(config.evm.maxClientBytes)
  const context = { config, logger, metrics, closers, work }
  try {
    const listen = await chooseListen(context)
    const settings = forkOverrides(config)
    const site = { home, config, logger, developers, settings, onError: fail }
    const opened = await openForkChain(site, closers)
    const { fork, chain, journal, mempool, storage, phases, served } = opened
    const { number: block, hash } = fork
    const automine = !config.dev.noMining && (config.dev.automine || config.dev.blockTime === 0)
    const dev = new DrivenChain({
      maker: new ForkMaker(chain, { url: fork.client.name, block, hash }),
      memory: journal,
      pool: new PoolRemover(mempool),
      accounts: unlockedAccounts(config, developers.keys),
      settings,
      clock: systemClock,
      beginsAt: beginningOf(config),
      isStrictTime: config.dev.strictTime,
      throwsOnRevert: config.dev.throwOnRevert,
      slotsInAnEpoch: config.dev.slotsInAnEpoch,
      order: config.dev.order,
      automine,
      intervalMs: config.dev.noMining ? 0 : config.dev.blockTime,
      waitsAtStart: config.dev.blockTime > 0,
      createEmptyBlocks: true,
      waiting: () => mempool.counts.pending,
      // Not fatal: the other node may respond the next time.
      onError: (error) => logger.error('a block could not be made', { error }),
    })
    const stateFile = {
      ...stateFilesOf(config),
      dev,
      storage: served.storage,
      isNew: storage.chain.latest === block,
      keccak256: served.keccak256,
      logger,
    }
    // Before it is kept: a file that cannot be loaded must not be replaced.
    await loadStateFile(stateFile)
    // Closed in reverse: the file is written after the last block.
    closers.add(keepStateFile(stateFile, config.dev.stateInterval))
    closers.add(() => dev.stop())
    mempool.onPending(() => dev.notifyTransactions())
    dev.start()
    observeBlocks(chain, phases, logger, metrics)
    observePool(mempool, metrics)
    observeClients(work, metrics)
    observeStore(storage, metrics)
    observeSync(served.readiness, metrics)
    const height = () => storage.chain.latest
    observeEthereumNames({ height, counts: () => mempool.counts, peers: () => 0 }, metrics)
    logger.info('a fork', {
      url: fork.client.name,
      chainId: fork.chainId,
      height: fork.number,
      revision: served.rules.envOf(chain.head).revision,
      offline: fork.isOffline || undefined,
    })
    const pool = new AutominingPool(mempool, () => dev)
    const index = openTransactionIndex({ ...context, home }, { ...served, dev }, false)
    const own = { ...served, pool, dev, addressIndex: index.addresses }
    const urls = await serveChain(context, own, listen, home.root)
    return { urls, failed, stop: () => closers.close(), chainId: served.rules.chainId }
  } catch (thrown) {
    await closers.close()
    throw thrown
  }
}
