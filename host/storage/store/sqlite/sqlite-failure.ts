import { LockstepError, messageOf } from '../../../base/error.ts'

/** The primary result codes of SQLite (sqlite.org/rescode.html) that have a remedy. */
const ERROR = 1
const PERM = 3
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26
/** A read reached the end of a truncated file. */
const IOERR_SHORT_READ = 522

const CODE_BITS = 0xff

/** Node's code for a row with an integer above 2^53 - 1, which is never written (storable.ts). */
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'

/** Returns the remedy for a damaged database. */
function restore(path: string): string {
  return (
    `stop the node and restore the folder of ${path} as a whole from a backup that was made while the node was ` +
    'stopped; what was signed or sent since then is forgotten'
  )
}

/** Returns STORE_CORRUPTED for a database whose files do not hold what was written. */
export function damagedDatabase(path: string, problem: string, cause?: unknown): LockstepError {
  return new LockstepError('STORE_CORRUPTED', `${path} is damaged: ${problem}`, {
    data: { path },
    hint: restore(path),
    cause,
  })
}

/**
 * Converts an error of SQLite to STORE_CORRUPTED, STORE_DENIED or STORE_FULL with its file; returns others as they
 * are.
 * @param isChecked - True if the statements only read what was written, so that their errors mean damage.
 */
export function sqliteFailure(path: string, thrown: unknown, { isChecked = false } = {}): unknown {
  const { code, errcode } = (thrown ?? {}) as {
    readonly code?: unknown
    readonly errcode?: unknown
  }
  const problem = messageOf(thrown)
  if (code === OUT_OF_RANGE) return damagedDatabase(path, problem, thrown)
  if (thrown instanceof LockstepError || typeof errcode !== 'number') return thrown
  const options = { data: { path }, cause: thrown }
  const isWrong = isChecked && (errcode & CODE_BITS) === ERROR
  if (isWrong || errcode === IOERR_SHORT_READ) return damagedDatabase(path, problem, thrown)
  switch (errcode & CODE_BITS) {
    case CORRUPT:
    case NOTADB:
      return damagedDatabase(path, problem, thrown)
    case FULL:
      return new LockstepError('STORE_FULL', `disk full: ${path}: ${problem}`, options)
    case PERM:
    case READONLY:
    case CANTOPEN:
      return new LockstepError('STORE_DENIED', `database ${path}: ${problem}`, {
        ...options,
        hint: `make ${path} and its folder readable and writable by the user of the process`,
      })
    case IOERR:
      return new LockstepError('STORE_DENIED', `database ${path}: ${problem}`, {
        ...options,
        hint: `check the disk of ${path}, and that its folder is writable`,
      })
    default:
      return thrown
  }
}
