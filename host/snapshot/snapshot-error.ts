import { type ErrorOptions, LockstepError } from '../base/error.ts'

/** A snapshot that is not what it says, or breaks a rule of the format. */
export function invalid(message: string, options: ErrorOptions = {}): LockstepError {
  return new LockstepError('SNAPSHOT_INVALID', message, options)
}
