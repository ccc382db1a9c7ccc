import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import { rewindCommit } from '../../commit/commit-rewind.ts'
import { openCommitter } from '../../commit/lmdb-committer.ts'
import type { StorageRollback } from '../../store/storage-rollback.ts'
import { openHasher } from '../commit-hasher.ts'
import { endRollback } from '../home/unfinished-rollback.ts'
import { readModule } from '../wasm.ts'
import type { HomeContext } from './home-snapshots.ts'
import type { RollbackListener } from './rollback-request.ts'

/**
 * Takes the state commit back to `target`: by what its flushes replaced to a version at or below it, and by the
 * write-ahead log from there on.
 * @param recorded the app hash after `target`, where a block states it
 * @returns the app hash
 * @throws APP_HASH_MISMATCH where it comes out as another: the home is as it was then, for the next start executes
 * the write-ahead log to its end
 */
export async function rollBackCommit(
  { home, config }: HomeContext,
  storage: StorageRollback,
  target: number,
  recorded: Uint8Array | undefined,
  listener: RollbackListener,
): Promise<Uint8Array> {
  const dir = home.data.stateCommit
  let isCounted = false
  await rewindCommit(dir, target, await openHasher(), (done, total) => {
    if (!isCounted)
      listener.onStage({ label: 'Rewinding the state commit', unit: 'flushes', total })
    isCounted = true
    listener.onProgress(done)
  })
  const module = await WebAssembly.compile(await readModule('commit'))
  const committer = await openCommitter({
    dir,
    module,
    keepRecent: config.stateCommit.scKeepRecent,
  })
  let appHash: Uint8Array
  try {
    const from = committer.version + 1
    if (from <= target) {
      const total = target - from + 1
      listener.onStage({ label: 'Replaying the write-ahead log', unit: 'heights', total })
    }
    for (let height = from; height <= target; height++) {
      await committer.stage(storage.changeset(height))
      await committer.commit()
      listener.onProgress(height - from + 1)
    }
    appHash = committer.appHash
  } finally {
    await committer.close()
  }
  if (recorded === undefined || equalBytes(appHash, recorded)) return appHash
  endRollback(home.data.directory)
  const [want, got] = [recorded, appHash].map((hash) => hexDigits(hash).toUpperCase())
  throw new LockstepError(
    'APP_HASH_MISMATCH',
    `the state commit at height ${target} has app hash ${got}, the block behind it states ${want}: ` +
      'nothing was removed',
    {
      hint: 'roll back further with -n, run `lockstep debug verify-db`, or import a snapshot into a new home',
    },
  )
}
