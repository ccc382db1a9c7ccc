import { join } from 'node:path'
import { DevJournal } from '../../chain/dev/dev-journal.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Closers } from '../closers.ts'
import type { HomeContext } from '../offline/home-snapshots.ts'
import { allowSigning } from '../offline/rollback-signing.ts'
import type { Keeping } from '../open/open-stores.ts'

/**
 * How the chain of a home is kept. On a development chain, whether or not it is started with --dev, blocks may have been
 * amended and removed: what a crash cut short is finished first.
 */
export async function openKeeping(
  context: HomeContext,
  genesis: Genesis,
  isDev: boolean,
  closers: Closers,
): Promise<Keeping> {
  const isOwn = context.config.consensus.engine === 'embedded'
  if (genesis.params.isDevelopment !== true || !isOwn) return { journal: undefined, isLate: false }
  const journal = new DevJournal(join(context.home.data.directory, 'dev'))
  closers.add(() => journal.close())
  // Stores that are synced differ as after any crash: what is decided is executed again, and nothing that is signed goes.
  if (journal.mayBeUneven || journal.unfinishedCut !== undefined) {
    const { recoverBlocks } = await import('../offline/recover-blocks.ts')
    await recoverBlocks(context, journal)
  }
  journal.open(isDev)
  // What was signed without --dev binds no more once blocks may be removed.
  if (isDev) await allowSigning(context, 0)
  return { journal, isLate: isDev }
}
