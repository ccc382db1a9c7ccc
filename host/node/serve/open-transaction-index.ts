import { join } from 'node:path'
import type { IndexTableOptions } from '../../api/transaction-index/indexed-table.ts'
import { TransactionIndex } from '../../api/transaction-index/transaction-index.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import type { PermittedLag } from '../../chain/consensus/idle-timer.ts'
import type { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import type { ServedChain } from '../open/served-chain.ts'

/**
 * Allowed lag of the index on a development chain. A client there may wait for many blocks in a row, so the index runs
 * when the chain is idle. It takes two seconds for so many blocks, less than a query by address waits.
 */
const DEV_LAG: PermittedLag = { quietMs: 250, blocks: 1024 }

export interface TransactionIndexSite {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
  readonly closers: Disposables
}

/**
 * Opens the tables of the transaction index that are configured; they catch up in the background.
 * @param hasConsensusRpc true if the consensus RPC reads the table by hash
 */
export function openTransactionIndex(
  { home, config, logger, metrics, closers }: TransactionIndexSite,
  chain: Pick<ServedChain, 'storage' | 'history' | 'rules' | 'heads' | 'modules' | 'dev'>,
  hasConsensusRpc: boolean,
): Pick<TransactionIndex, 'hashes' | 'addresses'> {
  const { storage, history, rules, heads, modules, dev } = chain
  const table = (name: string, what: string): IndexTableOptions => {
    const dir = join(home.data.directory, name)
    return {
      dir,
      onDropped: (reason) => logger.warn('an index is rebuilt from the blocks', { dir, reason }),
      onFailure: (error) => logger.error(`${what} are no longer indexed`, { dir, error }),
    }
  }
  const hasHashes = hasConsensusRpc && config.txIndex.indexer !== 'null'
  const hasAddresses = config.evm.addressIndex
  if (!hasHashes && !hasAddresses) return { hashes: undefined, addresses: undefined }
  const index = new TransactionIndex({
    chain: storage.chain,
    heads,
    lag: dev && DEV_LAG,
    hashes: hasHashes ? table('event_index.db', 'transactions') : undefined,
    addresses: hasAddresses
      ? {
          ...table('address_index.db', 'addresses'),
          state: storage.state,
          history,
          rules,
          modules,
          onProgress: ({ height, latest }) => {
            if (height < latest) logger.info('indexing addresses', { height, latest })
            else logger.info('addresses are indexed', { height })
          },
        }
      : undefined,
  })
  closers.add(() => index.close())
  const { addresses } = index
  if (addresses !== undefined) {
    metrics.onRender(() => {
      metrics.set('lockstep_address_index_height', {}, Math.max(addresses.height, 0))
    })
  }
  return index
}
