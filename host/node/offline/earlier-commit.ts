import { constants, copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { rewindableVersions } from '../../storage/commit/commit-rewind.ts'
import { checkFreeSpace } from '../../storage/store/lmdb/lmdb-env.ts'
import type { NodeStorage } from '../../storage/store/node-storage.ts'
import type { Home } from '../home/home.ts'
import { takeCommitTo } from './commit-at.ts'

/** Free disk space to leave, bytes. */
const DISK_RESERVE = 128 * 1024 * 1024

/** A state commit at a known height. */
export interface CommitAtHeight {
  readonly dir: string
  /** Deletes it if it is a copy. */
  remove(): void
}

/**
 * Returns the state commit of a stopped home at `height`; if the home is higher, a copy that was rolled back.
 * @param height undefined for the latest
 * @throws STATE_PRUNED if the height is no longer available, naming the lowest that is; APP_HASH_MISMATCH, STORE_FULL
 */
export async function commitAtHeight(
  home: Home,
  storage: NodeStorage,
  height: number | undefined,
): Promise<CommitAtHeight> {
  const { stateCommit, directory } = home.data
  const own = { dir: stateCommit, remove: () => {} }
  const versions = await rewindableVersions(stateCommit)
  const [newest = -1] = versions
  if (height === undefined || height >= newest) return own
  checkReach(storage, versions, height, newest)
  const dir = join(directory, 'committer.export')
  const remove = (): void => rmSync(dir, { recursive: true, force: true })
  remove()
  const file = join(stateCommit, 'data.mdb')
  checkFreeSpace(directory, statSync(file).size + DISK_RESERVE)
  mkdirSync(dir, { mode: 0o700 })
  try {
    copyFileSync(file, join(dir, 'data.mdb'), constants.COPYFILE_FICLONE)
    const appHash = await takeCommitTo({
      dir,
      target: height,
      keepRecent: 1,
      changeset: (each) => storage.changeset(each),
      listener: { onStage: () => {}, onProgress: () => undefined },
    })
    const stated = storage.chain.header(height + 1)?.stateRoot
    if (stated !== undefined && !equalBytes(appHash, stated)) {
      throw new LockstepError(
        'APP_HASH_MISMATCH',
        `the state commit, rolled back to height ${height}, does not have the app hash that block ${height + 1} states`,
      )
    }
    return { dir, remove }
  } catch (thrown) {
    remove()
    throw thrown
  }
}

function checkReach(
  storage: NodeStorage,
  versions: readonly number[],
  height: number,
  newest: number,
): void {
  const first = storage.firstChangeset
  const reaches = (target: number): boolean => {
    const base = versions.find((version) => version <= target)
    return base !== undefined && (base === target || (first >= 0 && first <= base + 1))
  }
  if (height >= storage.chain.earliest && reaches(height)) return
  let earliest = Math.max(1, storage.chain.earliest, versions.at(-1) ?? newest)
  while (earliest < newest && !reaches(earliest)) earliest++
  throw new LockstepError(
    'STATE_PRUNED',
    `the state of height ${height} can no longer be exported: the earliest available is ${earliest}`,
    {
      hint: `run \`lockstep snapshot export --height ${earliest}\`, or omit --height for the latest`,
      data: { requested: height, earliest, latest: newest },
    },
  )
}
