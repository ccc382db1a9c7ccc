import { LockstepError, messageOf } from '../base/error.ts'
import { ERRORS } from '../base/error-table.ts'
import { withoutCredentials } from '../base/url-text.ts'

/** sysexits.h: an error inside the program. */
const SOFTWARE = 70

/** Writes an error to stderr, without credentials of the URLs in it, and returns its exit code. */
export function reportError(error: unknown, verbose: boolean): number {
  const lines = [`Error: ${messageOf(error)}`]
  if (error instanceof LockstepError) lines.push(`Hint: ${error.hint}`)
  else if (!verbose) lines.push('Hint: run it again with --verbose and report its output')
  if (verbose && error instanceof Error) {
    lines.push(error.stack ?? '')
    if (error.cause !== undefined) lines.push(`Caused by: ${causeOf(error.cause)}`)
  }
  process.stderr.write(`${withoutCredentials(lines.join('\n'))}\n`)
  return error instanceof LockstepError ? ERRORS[error.code].exit : SOFTWARE
}

function causeOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
