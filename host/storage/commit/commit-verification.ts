import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { CommitImport } from './commit-import.ts'
import { CommitSnapshot } from './commit-snapshot.ts'
import type { CommitHasher } from './hash/commit-hasher.ts'

/** The result of hashing a state commit. */
export interface CommitCheck {
  /** Descriptions of what is wrong. */
  readonly findings?: Iterable<string>
}

/** Hashes all rows of the state commit in `dir` and compares them with its app hash. */
export async function verifyCommit(dir: string, hasher: CommitHasher): Promise<CommitCheck> {
  if (!existsSync(join(dir, 'data.mdb'))) return {}
  const stored = CommitSnapshot.open(dir)
  const { version, appHash } = stored
  await stored.close()
  if (version < 0) return {}
  const commit = new CommitImport(dir, hasher)
  try {
    const actual = await commit.prove()
    return {
      findings: equalBytes(actual.appHash, appHash)
        ? []
        : [`its rows do not hash to the app hash of height ${version}`],
    }
  } finally {
    await commit.close()
  }
}
