import { statfsSync } from 'node:fs'
import { LockstepError, messageOf } from '../../base/error.ts'

/** Free bytes below which a failed write counts as a full disk: LMDB reports a short write as EIO. */
const FULL_BELOW = 1 << 20

/**
 * No space, quota exceeded, or file size limit (`ulimit -f`): by name if Node wrote, by number if LMDB did. The last
 * is LMDB's own MDB_MAP_FULL.
 */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 28, 122, 27, -30792]

function isFull(path: string, thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null)?.code
  if (FULL.includes(code)) return true
  if (code !== 5) return false
  try {
    const disk = statfsSync(path)
    return disk.bavail * disk.bsize < FULL_BELOW
  } catch {
    return false
  }
}

/** Permission denied: by name from Node, by number from LMDB. */
const DENIED: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS', 13, 1, 30]

/** The process or the machine has no file descriptor left; the database is fine. */
const NO_FILES: readonly unknown[] = ['EMFILE', 'ENFILE', 24, 23]

/** Converts an error of LMDB or the file system to STORE_FULL, STORE_DENIED or STORE_CORRUPTED with its path. */
export function storeError(path: string, thrown: unknown): LockstepError {
  if (thrown instanceof LockstepError) return thrown
  const text = messageOf(thrown)
  if (isFull(path, thrown)) {
    return new LockstepError('STORE_FULL', `disk full: ${path}: ${text}`, { cause: thrown })
  }
  const failure = (thrown as { code?: unknown } | null)?.code
  if (NO_FILES.includes(failure)) {
    return new LockstepError('STORE_DENIED', `database ${path}: ${text}`, {
      hint: 'let the process open more files: run `ulimit -n 65536` before you start it',
      cause: thrown,
    })
  }
  const isDenied = DENIED.includes(failure)
  const code = isDenied ? 'STORE_DENIED' : 'STORE_CORRUPTED'
  return new LockstepError(code, `database ${path}: ${text}`, { cause: thrown })
}
