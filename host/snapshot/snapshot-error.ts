import { LockstepError } from '../base/error.ts'

/** A snapshot that is not what it says, or breaks a rule of the format. */
export function invalid(message: string, cause?: unknown): LockstepError {
  return new LockstepError('SNAPSHOT_INVALID', message, cause === undefined ? {} : { cause })
}
