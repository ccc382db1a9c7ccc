import { type ErrorCode, LockstepError } from '../../base/error.ts'
import { ERRORS } from '../../base/error-table.ts'
import { CHILD_LOG_LEVELS, type ChildLine, type ChildLog } from './start-contract.ts'

/** Parses a line of stdout. Returns undefined if it is invalid: the API process is not trusted. */
export function readChildLine<Facts>(line: string): ChildLine<Facts> | undefined {
  try {
    const read = JSON.parse(line) as ChildLine<Facts> | null
    return typeof read === 'object' && read !== null ? read : undefined
  } catch {
    return undefined
  }
}

/** Writes a child's log line to the log of the node. */
export function logChildLine(line: ChildLine<unknown> | undefined, log: ChildLog): void {
  if (line === undefined || !('level' in line)) return
  const level = CHILD_LOG_LEVELS.find((known) => known === line.level)
  if (level !== undefined) log[level](String(line.message), { ...line.fields })
}

/** Returns the error with which a process failed to start. */
export function errorOf(
  name: string,
  { code, message, hint }: { code: string; message: string; hint: string },
): LockstepError {
  const known: ErrorCode = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'WALLETS_FAILED'
  return new LockstepError(known, `${name}: ${message}`, hint === '' ? {} : { hint })
}
