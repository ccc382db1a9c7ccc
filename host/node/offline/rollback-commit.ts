import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import type { StorageRollback } from '../../storage/store/storage-rollback.ts'
import { endRollback } from '../home/unfinished-rollback.ts'
import { takeCommitTo } from './commit-at.ts'
import type { HomeContext } from './home-snapshots.ts'
import type { RollbackListener } from './rollback-request.ts'

/**
 * Rolls the state commit of a home back to `target`.
 * @param recorded the app hash after `target`, if a block states it
 * @returns the app hash
 * @throws APP_HASH_MISMATCH if the result has a different hash; the home is then unchanged, since the next start
 * replays the write-ahead log to its end
 */
export async function rollBackCommit(
  { home, config }: HomeContext,
  storage: StorageRollback,
  target: number,
  recorded: Uint8Array | undefined,
  listener: RollbackListener,
): Promise<Uint8Array> {
  const appHash = await takeCommitTo({
    dir: home.data.stateCommit,
    target,
    keepRecent: config.stateCommit.scKeepRecent,
    changeset: (height) => storage.changeset(height),
    listener,
  })
  if (recorded === undefined || equalBytes(appHash, recorded)) return appHash
  endRollback(home.data.directory)
  const [want, got] = [recorded, appHash].map((hash) => hexDigits(hash).toUpperCase())
  throw new LockstepError(
    'APP_HASH_MISMATCH',
    `the state commit at height ${target} has app hash ${got}, but the next block states ${want}: ` +
      'nothing was removed',
    {
      hint: 'roll back further with -n, run `lockstep debug verify-db`, or import a snapshot into a new home',
    },
  )
}
