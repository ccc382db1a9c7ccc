import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { Committer } from '../../../storage/commit/committer.ts'
import type { Storage } from '../../../storage/store/storage.ts'
import { wrongAppHash } from '../wrong-app-hash.ts'

/**
 * Brings the state commit to the height of the storage, using the changesets in the log.
 * @throws STORE_CORRUPTED if the changesets leave a gap, APP_HASH_MISMATCH if the hash after a block differs from the
 * one in the next header
 * @param onHeight called with each height that the state commit reaches, and the latest one
 */
export async function catchUp(
  storage: Storage,
  committer: Committer,
  onHeight: (height: number, latest: number) => void = () => {},
): Promise<void> {
  const { latest } = storage.chain
  if (committer.version > latest) {
    throw new LockstepError(
      'STORE_CORRUPTED',
      `the state commit is at height ${committer.version}, the storage at ${latest}`,
    )
  }
  if (committer.version < latest) {
    for (const changeset of storage.changesets(committer.version + 1)) {
      if (changeset.height !== committer.version + 1) break
      verifyParentState(storage, committer)
      await committer.stage(changeset)
      await committer.commit()
      onHeight(committer.version, latest)
    }
  }
  if (committer.version !== latest) {
    throw new LockstepError(
      'STORE_CORRUPTED',
      `the log has no changeset of height ${committer.version + 1}, which the state commit needs`,
    )
  }
}

/** Compares the app hash of the committed version with the state root in the next header. */
function verifyParentState({ chain }: Storage, { version, appHash }: Committer): void {
  const header = version < 0 ? undefined : chain.header(version + 1)
  if (header === undefined || equalBytes(header.stateRoot, appHash)) return
  throw wrongAppHash(appHash, header.stateRoot, version + 1, header.hash)
}
