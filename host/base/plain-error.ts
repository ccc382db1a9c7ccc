import { type ErrorCode, LockstepError } from './error.ts'

/** An error as plain data, to send between threads. */
export interface PlainError {
  /** Undefined if the error is not a LockstepError but a defect. */
  readonly code: ErrorCode | undefined
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
  readonly hint: string
}

export function toPlainError(thrown: unknown): PlainError {
  if (thrown instanceof LockstepError) {
    const { code, message, data, hint } = thrown
    return { code, message, data, hint }
  }
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { code: undefined, message, data: {}, hint: '' }
}

export function fromPlainError({ code, message, data, hint }: PlainError): Error {
  return code === undefined ? new Error(message) : new LockstepError(code, message, { data, hint })
}
