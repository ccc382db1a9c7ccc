import { join } from 'node:path'
import { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { Disposables } from '../disposables.ts'
import { openHomeStorage } from '../open/open-stores.ts'
import type { HomeContext } from './home-snapshots.ts'

/** What to keep, in recent heights; 0 keeps all. */
export interface KeptHeights {
  readonly states: number
  readonly blocks: number
}

/** Lowest heights of a home. */
export interface EarliestHeights {
  readonly state: number
  readonly block: number
}

export interface PrunedHome {
  readonly before: EarliestHeights
  readonly after: EarliestHeights
  readonly latest: number
}

/**
 * Deletes old states and blocks of a stopped home at once, as its node would do step by step, and rewrites what is
 * left. Blocks that the retained states need for traces are kept. An interrupted run is completed by the next.
 * @param onTurn called now and then; an error it throws ends the work
 */
export async function pruneHome(
  { home, config, logger }: HomeContext,
  kept: KeptHeights,
  onTurn: () => Promise<void> | undefined,
): Promise<PrunedHome> {
  const closers = new Disposables()
  const stateStore = { ...config.stateStore, ssKeepRecent: kept.states, ssPruneInterval: 1 }
  const pruning = { ...config, stateStore, minRetainBlocks: kept.blocks }
  try {
    const storage = await openHomeStorage(home, pruning, logger, closers)
    const earliest = () => ({ state: storage.state.earliest, block: storage.chain.earliest })
    const before = earliest()
    await onTurn()
    await storage.settle()
    const after = earliest()
    if (config.consensus.engine === 'embedded')
      await pruneDecided(home.data.directory, after.block, onTurn)
    return { before, after, latest: storage.chain.latest }
  } finally {
    await closers.close()
  }
}

/** Deletes the decisions of the blocks below `earliest`, in steps. */
async function pruneDecided(
  directory: string,
  earliest: number,
  onTurn: () => Promise<void> | undefined,
): Promise<void> {
  const store = new ConsensusBlockStore(join(directory, 'blockstore.db'))
  try {
    for (let base = -1; store.base < earliest && store.base !== base; await onTurn()) {
      base = store.base
      store.prune(earliest)
    }
  } finally {
    await store.close()
  }
}
