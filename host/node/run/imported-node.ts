import { WorkScheduler } from '../../api/server/work-scheduler.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import type { EthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import type { LiveSettings } from '../live-settings.ts'
import { openImported } from '../open/open-imported.ts'
import { openHomeStorage } from '../open/open-stores.ts'
import type { RunningNode } from '../running-node.ts'
import { chooseListen, serveChain } from '../serve/node-servers.ts'
import { openTransactionIndex } from '../serve/open-transaction-index.ts'
import { refuseServices } from '../serve/wanted-services.ts'
import { observeSync } from './observe.ts'
import { observeEthereumNames } from './observe-peer-names.ts'

export interface ImportedNodeOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: EthereumGenesis
  readonly logger: Logger
  readonly metrics: Metrics
  /** Absent if the settings do not change while it runs. */
  readonly live?: LiveSettings | undefined
}

/** A node without consensus has no asynchronous failures. */
const NEVER = new Promise<never>(() => {})

/**
 * Starts a node that serves an imported chain read-only: no consensus, blocks or transactions.
 * @throws HOME_MISSING if nothing was imported.
 */
export async function startImportedNode(options: ImportedNodeOptions): Promise<RunningNode> {
  const { home, config, genesis, logger, metrics, live } = options
  const closers = new Disposables()
  refuseServices(config)
  const work = new WorkScheduler(config.evm.maxClientBytes)
  const context = { config, logger, metrics, closers, work, live }
  try {
    const listen = await chooseListen(context)
    const storage = await openHomeStorage(home, config, logger, closers)
    const { latest } = storage.chain
    if (latest < 0) {
      throw new LockstepError('HOME_MISSING', `${home.root} has no blocks`, {
        hint: 'run `lockstep import` with the same --home',
      })
    }
    const imported = await openImported(context, storage, genesis)
    const { addresses } = openTransactionIndex({ ...context, home }, imported, false)
    const chain = { ...imported, addressIndex: addresses }
    observeSync(chain.readiness, metrics)
    const counts = () => ({ pending: 0, queued: 0 })
    observeEthereumNames({ height: () => storage.chain.latest, counts, peers: () => 0 }, metrics)
    logger.info('serving an imported chain read-only: it makes no blocks', { height: latest })
    const urls = await serveChain(context, chain, listen, home.root)
    return { urls, failed: NEVER, stop: () => closers.close() }
  } catch (thrown) {
    await closers.close()
    throw thrown
  }
}
