import { type Logger as Pino, pino } from 'pino'
import type { LogFields, Logger, LogLevel } from './logger.ts'
import { formatPlain } from './plain-format.ts'
import { redact } from './redaction.ts'

export interface LoggerOptions {
  readonly level: LogLevel
  readonly format: 'plain' | 'json'
  /** Receives one whole line, newline included. */
  readonly write: (line: string) => void
}

function wrap(inner: Pino): Logger {
  const writer =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (inner.isLevelEnabled(level)) inner[level](redact(fields), message)
    }
  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (fields) => wrap(inner.child(redact(fields))),
  }
}

/** Returns the node's logger: every line has `level`, `time` and `message`, then the fields. */
export function createLogger(options: LoggerOptions): Logger {
  const { level, format, write } = options
  const settings = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const writePlain = (line: string): void => write(formatPlain(JSON.parse(line)))
  return wrap(pino(settings, { write: format === 'json' ? write : writePlain }))
}
