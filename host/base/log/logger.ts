/** Values that go with a message; errors, bytes and big integers are written readably. */
export type LogFields = Readonly<Record<string, unknown>>

/** Writes log lines. Fields named in `redaction.ts` never show their value. */
export interface Logger {
  trace(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds fields to each of its lines. */
  child(fields: LogFields): Logger
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
