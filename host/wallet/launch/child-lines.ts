import { type ErrorCode, LockstepError } from '../../base/error.ts'
import { ERRORS } from '../../base/error-table.ts'
import { CHILD_LOG_LEVELS, type ChildLine, type ChildLog } from './start-contract.ts'

/** A line of stdout; undefined for what is none: the process of the API may have been taken over. */
export function readChildLine<Facts>(line: string): ChildLine<Facts> | undefined {
  try {
    const read = JSON.parse(line) as ChildLine<Facts> | null
    return typeof read === 'object' && read !== null ? read : undefined
  } catch {
    return undefined
  }
}

/** Writes a line of a process into the log of the node. */
export function logChildLine(line: ChildLine<unknown> | undefined, log: ChildLog): void {
  if (line === undefined || !('level' in line)) return
  const level = CHILD_LOG_LEVELS.find((known) => known === line.level)
  if (level !== undefined) log[level](String(line.message), { ...line.fields })
}

/** The error that a process could not start with. */
export function errorOf(
  name: string,
  { code, message, hint }: { code: string; message: string; hint: string },
): LockstepError {
  const known: ErrorCode = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'WALLETS_FAILED'
  return new LockstepError(known, `${name}: ${message}`, hint === '' ? {} : { hint })
}
