import type { Changeset } from '../../evm/state/changeset.ts'
import { rewindCommit } from '../../storage/commit/commit-rewind.ts'
import { openCommitter } from '../../storage/commit/lmdb-committer.ts'
import { openHasher } from '../commit-hasher.ts'
import { readModule } from '../wasm.ts'
import type { RollbackListener } from './rollback-request.ts'

export interface CommitAtOptions {
  /** The state commit, which nobody has open. */
  readonly dir: string
  readonly target: number
  /** Versions of the modules' trees that are kept; 0 keeps all. */
  readonly keepRecent: number
  /** The changeset of a height from the write-ahead log. */
  readonly changeset: (height: number) => Changeset
  readonly listener: Pick<RollbackListener, 'onStage' | 'onProgress'>
}

/**
 * Takes a state commit back to `target`: by what its flushes replaced to a version at or below it, and by the
 * write-ahead log from there on.
 * @returns the app hash that it has then
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
