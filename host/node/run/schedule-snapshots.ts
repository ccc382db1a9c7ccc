import type { Config } from '../../base/config/schema.ts'
import { messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import { type Home, snapshotFolder } from '../home/home.ts'
import type { Stores } from '../open/open-stores.ts'

export interface ScheduledSnapshotSource {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly logger: Logger
  readonly closers: Disposables
}

/**
 * Exports snapshots of a running node, if configured.
 * @param decided undefined if CometBFT has the blocks of consensus
 */
export async function scheduleSnapshots(
  { home, config, genesis, logger, closers }: ScheduledSnapshotSource,
  heads: HeadFeed,
  { storage, committer }: Stores,
  decided: ConsensusBlockStore | undefined,
): Promise<void> {
  const { snapshotInterval: interval, snapshotKeepRecent: keepRecent } = config.stateSync
  if (interval === 0) return
  const { SnapshotSchedule } = await import('../../chain/snapshot/snapshot-schedule.ts')
  const source = {
    genesis,
    chain: storage.chain,
    decided,
    stateCommit: home.data.stateCommit,
    folder: snapshotFolder(home, config),
  }
  const schedule = new SnapshotSchedule({
    interval,
    keepRecent,
    heads,
    version: () => committer.version,
    source,
    onExported: ({ height, chunks }) => {
      logger.info('snapshot exported', { height, chunks: chunks.length })
    },
    onFailure: (thrown) => {
      logger.error('a snapshot could not be exported', { error: messageOf(thrown) })
    },
  })
  closers.add(() => schedule.stop())
}
