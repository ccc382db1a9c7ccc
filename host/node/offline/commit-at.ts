import type { Changeset } from '../../evm/state/changeset.ts'
import { rewindCommit } from '../../storage/commit/commit-rewind.ts'
import { openCommitter } from '../../storage/commit/lmdb-committer.ts'
import { openHasher } from '../commit-hasher.ts'
import { readModule } from '../wasm.ts'
import type { RollbackListener } from './rollback-request.ts'

export interface CommitAtOptions {
  /** Folder of the state commit, which no process may have open. */
  readonly dir: string
  readonly target: number
  /** Tree versions of the modules to keep; 0 keeps all. */
  readonly keepRecent: number
  /** Returns the changeset of a height from the write-ahead log. */
  readonly changeset: (height: number) => Changeset
  readonly listener: Pick<RollbackListener, 'onStage' | 'onProgress'>
}

/**
 * Rolls a state commit back to `target`: first to a flushed version at or below it, then forward by the write-ahead
 * log.
 * @returns the app hash at `target`
 * @throws STORE_CORRUPTED, STORE_FULL
 */
export async function takeCommitTo(options: CommitAtOptions): Promise<Uint8Array> {
  const { dir, target, keepRecent, listener } = options
  let isCounted = false
  await rewindCommit(dir, target, await openHasher(), (done, total) => {
    if (!isCounted) {
      listener.onStage({ label: 'Rewinding the state commit', unit: 'flushes', total })
    }
    isCounted = true
    void listener.onProgress(done)
  })
  const module = await WebAssembly.compile(await readModule('commit'))
  const committer = await openCommitter({ dir, module, keepRecent })
  try {
    const from = committer.version + 1
    if (from <= target) {
      const total = target - from + 1
      listener.onStage({ label: 'Replaying the write-ahead log', unit: 'heights', total })
    }
    for (let height = from; height <= target; height++) {
      await committer.stage(options.changeset(height))
      await committer.commit()
      await listener.onProgress(height - from + 1)
    }
    return committer.appHash
  } finally {
    await committer.close()
  }
}
