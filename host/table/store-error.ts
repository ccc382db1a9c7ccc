import { statfsSync } from 'node:fs'
import { LockstepError, messageOf } from '../base/error.ts'

/** Below this much free space a failed write counts as a full disk: LMDB reports a short write as EIO. */
const FULL_BELOW = 1 << 20

function isFull(path: string, thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null)?.code
  if (code === 28 || code === 'ENOSPC' || code === -30792) return true
  if (code !== 5) return false
  try {
    const disk = statfsSync(path)
    return disk.bavail * disk.bsize < FULL_BELOW
  } catch {
    return false
  }
}

/** What LMDB or the file system threw, as STORE_FULL or STORE_CORRUPTED with the path it happened at. */
export function storeError(path: string, thrown: unknown): LockstepError {
  if (thrown instanceof LockstepError) return thrown
  const text = messageOf(thrown)
  return isFull(path, thrown)
    ? new LockstepError('STORE_FULL', `disk full: ${path}: ${text}`, { cause: thrown })
    : new LockstepError('STORE_CORRUPTED', `database ${path}: ${text}`, { cause: thrown })
}
