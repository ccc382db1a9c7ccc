import { join } from 'node:path'
import { AddressIndex } from '../../api/address-index/address-index.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import type { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import type { ServedChain } from '../open/served-chain.ts'
import { DEV_LAG } from './index-lag.ts'

export interface AddressIndexSite {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
  readonly closers: Disposables
}

/** Opens the index of transactions by address, if configured; it catches up in the background. */
export function openAddressIndex(
  { home, config, logger, metrics, closers }: AddressIndexSite,
  chain: Pick<ServedChain, 'storage' | 'history' | 'rules' | 'heads' | 'modules' | 'dev'>,
): AddressIndex | undefined {
  if (!config.evm.addressIndex) return undefined
  const { storage, history, rules, heads, modules, dev } = chain
  const dir = join(home.data.directory, 'address_index.db')
  const index = new AddressIndex({
    dir,
    chain: storage.chain,
    state: storage.state,
    history,
    rules,
    heads,
    modules,
    ...(dev !== undefined && { lag: DEV_LAG }),
    onProgress: ({ height, latest }) => {
      if (height < latest) logger.info('indexing addresses', { height, latest })
      else logger.info('addresses are indexed', { height })
    },
    onDropped: (reason) => {
      logger.warn('an index is rebuilt from the blocks', { dir, reason })
    },
    onFailure: (error) => logger.error('addresses are no longer indexed', { dir, error }),
  })
  closers.add(() => index.close())
  metrics.onRender(() => {
    metrics.set('lockstep_address_index_height', {}, Math.max(index.height, 0))
  })
  return index
}
