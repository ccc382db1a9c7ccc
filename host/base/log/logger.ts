/** Values of a message; errors, bytes and bigints are written in a readable form. */
export type LogFields = Readonly<Record<string, unknown>>

/** Writes log lines. Values of fields named in `redaction.ts` are hidden. */
export interface Logger {
  trace(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Returns a logger that adds fields to each of its lines. */
  child(fields: LogFields): Logger
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
