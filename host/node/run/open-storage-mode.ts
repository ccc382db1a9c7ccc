import { join } from 'node:path'
import { DevJournal } from '../../chain/dev/dev-journal.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import type { HomeContext } from '../offline/home-snapshots.ts'
import { allowSigning } from '../offline/rollback-signing.ts'
import type { StorageMode } from '../open/open-stores.ts'

/**
 * Returns how the chain of a home is stored. A development chain, with or without --dev, may have amended and removed
 * blocks; an operation that a crash interrupted is completed first.
 */
export async function openStorageMode(
  context: HomeContext,
  genesis: Genesis,
  isDev: boolean,
  closers: Disposables,
): Promise<StorageMode> {
  const isOwn = context.config.consensus.engine === 'embedded'
  if (genesis.params.isDevelopment !== true || !isOwn)
    return { journal: undefined, isUnsynced: false }
  const journal = new DevJournal(join(context.home.data.directory, 'dev'))
  closers.add(() => journal.close())
  // Only unsynced stores need this. Synced ones differ as after any crash: the start executes decided blocks again,
  // and no signed block is removed.
  if (journal.mayDiverge || journal.unfinishedRemoval !== undefined) {
    const { recoverBlocks } = await import('../offline/recover-blocks.ts')
    await recoverBlocks(context, journal)
  }
  journal.open(isDev)
  // Signatures made without --dev no longer bind, because blocks may be removed.
  if (isDev) await allowSigning(context, 0)
  return { journal, isUnsynced: isDev }
}
