import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { servedBy } from '../../storage/store/backend-choice.ts'
import { compactEnvironment } from '../../storage/store/lmdb/compact-environment.ts'
import { Disposables } from '../disposables.ts'
import { openHomeStorage } from '../open/open-stores.ts'
import { bytesAt } from './bytes-at.ts'
import type { HomeContext } from './home-snapshots.ts'

/** A rewritten part of a home. */
export interface CompactedPart {
  /** Path relative to the home. */
  readonly path: string
  /** Bytes before and after. */
  readonly before: number
  readonly after: number
}

/** Returns the folders of LMDB environments below a folder. */
function environmentsBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => environmentsBelow(join(folder, name)))
  return existsSync(join(folder, 'data.mdb')) ? [folder, ...below] : below
}

/**
 * Rewrites the databases of a stopped home without free pages and superseded rows. CometBFT's own are left as they
 * are. An interrupted run loses nothing, and the next one completes it.
 * @param onPart called with each part; an error it throws ends the work
 * @throws UNSUPPORTED for RocksDB, STORE_CORRUPTED, STORE_FULL
 */
export async function compactHome(
  { home, config, logger }: HomeContext,
  onPart: (part: CompactedPart) => Promise<void> | undefined,
): Promise<void> {
  const { ssBackend } = config.stateStore
  if (servedBy(ssBackend) === 'rocksdb') {
    throw new LockstepError('UNSUPPORTED', 'the state store is RocksDB, which compacts itself', {
      hint: 'nothing is to be done',
    })
  }
  const { directory } = home.data
  const measured = async (path: string, work: () => Promise<void>): Promise<void> => {
    const before = bytesAt(path)
    await work()
    await onPart({ path: relative(home.root, path), before, after: bytesAt(path) })
  }
  const folders = environmentsBelow(directory).filter((dir) => !dir.startsWith(home.data.comet))
  const closers = new Disposables()
  try {
    const storage = await openHomeStorage(home, config, logger, closers)
    await storage.compact()
  } finally {
    await closers.close()
  }
  for (const dir of folders) await measured(dir, () => compactEnvironment(dir))
}
