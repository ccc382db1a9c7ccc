import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import type { DevJournal } from '../../chain/dev/dev-journal.ts'
import { StorageRollback } from '../../storage/store/storage-rollback.ts'
import { readRollback, writeRollback } from '../home/unfinished-rollback.ts'
import type { HomeContext } from './home-snapshots.ts'
import { rollBackHome } from './rollback-home.ts'

/** Returns the latest heights of a home's storage and of its engine's blocks; -1 if there are none. */
async function heightsOf({ home, config }: HomeContext): Promise<{ app: number; blocks: number }> {
  const { ssBackend, evmSsSplit, evmSsSeparateDbs } = config.stateStore
  const dir = home.data.directory
  if (!existsSync(join(dir, 'wal'))) return { app: -1, blocks: -1 }
  const storage = await StorageRollback.open({
    dir,
    backend: ssBackend,
    evmSplit: evmSsSplit,
    evmSeparateDbs: evmSsSeparateDbs,
  })
  const app = storage.latest
  await storage.close()
  const store = new ConsensusBlockStore(join(dir, 'blockstore.db'))
  const blocks = store.height
  await store.close()
  return { app, blocks }
}

/**
 * Brings all stores of a development chain that was not closed to one height. Completes an interrupted removal of
 * blocks and, after a machine crash, removes blocks that some store lacks.
 * @throws errors of `rollBackHome`
 */
export async function recoverBlocks(context: HomeContext, journal: DevJournal): Promise<void> {
  const { home, logger } = context
  const { app, blocks } = await heightsOf(context)
  if (app < 0) return
  const { unfinishedRemoval: unfinishedCut } = journal
  const target = Math.min(app, blocks, unfinishedCut?.height ?? app)
  const data = home.data.directory
  if (target < app || target < blocks || readRollback(data) !== undefined) {
    logger.warn('blocks above are removed: the previous process did not shut down cleanly', {
      height: target,
    })
    await writeRollback(data, { target, hard: true, signAgain: true })
    await rollBackHome(
      context,
      { blocks: 0, hard: true, signAgain: true },
      { onHeights: () => {}, onStage: () => {}, onProgress: async () => {} },
    )
  }
  const isOfCut = unfinishedCut?.height === target
  const amendments = isOfCut ? unfinishedCut.amendments : journal.diffs(target).length
  journal.beginRemoval({ height: target, amendments })
  journal.endRemoval()
}
