import { ERRORS, type ErrorRow } from './error-table.ts'
import { withoutCredentials } from './url-text.ts'

export type ErrorCode = keyof typeof ERRORS

export interface ErrorOptions {
  /** Values a program may act on. Logs print them; RPC passes them on if the code says so. */
  readonly data?: Readonly<Record<string, unknown>>
  /** The remedy, if it differs from that of the table. */
  readonly hint?: string
  readonly cause?: unknown
}

/**
 * The only error class that the host throws. `code` is a row of `error-table.ts`; each boundary (RPC, CLI, HTTP)
 * translates the code once. `message` names the offending value and the rule it broke.
 */
export class LockstepError extends Error {
  override readonly name = 'LockstepError'
  readonly code: ErrorCode
  readonly data: Readonly<Record<string, unknown>>
  readonly hint: string

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(
      beginning(ERRORS[code], message),
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.data = options.data ?? {}
    this.hint = options.hint ?? ERRORS[code].remedy
  }
}

/** Returns the message with the words that operators search for. */
function beginning({ text }: ErrorRow, message: string): string {
  return text === undefined || message.includes(text) ? message : `${text}: ${message}`
}

/** Returns the message of any thrown value, for logs and wrapped causes. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/**
 * Returns why `fetch` failed: the code of its cause, such as ECONNREFUSED, or else a message. It rejects a URL with user
 * and password, and its message contains them: they are removed.
 */
export function fetchFailure(thrown: unknown): string {
  const { cause } = thrown as { cause?: { code?: string; message?: string } }
  return withoutCredentials(cause?.code ?? cause?.message ?? messageOf(thrown))
}
