import { type Logger as Pino, pino } from 'pino'
import { LOG_LEVELS, type LogFields, type Logger, type LogLevel } from './logger.ts'
import { formatPlain } from './plain-format.ts'
import { redact } from './redaction.ts'

export interface LoggerOptions {
  /** Lowest level to write; a function is asked for each line. */
  readonly level: LogLevel | (() => LogLevel)
  readonly format: 'plain' | 'json'
  /** Receives one whole line, newline included. */
  readonly write: (line: string) => void
}

function wrap(inner: Pino, isEnabled: (level: LogLevel) => boolean): Logger {
  const writer =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (isEnabled(level)) inner[level](redact(fields), message)
    }
  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (fields) => wrap(inner.child(redact(fields)), isEnabled),
  }
}

/** Returns the node's logger: every line has `level`, `time` and `message`, then the fields. */
export function createLogger(options: LoggerOptions): Logger {
  const { level, format, write } = options
  const settings = {
    // Children of pino keep a copy of its level, so the level is checked here.
    level: 'trace',
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const writePlain = (line: string): void => write(formatPlain(JSON.parse(line)))
  const isEnabled = (asked: LogLevel): boolean => {
    const lowest = typeof level === 'function' ? level() : level
    return LOG_LEVELS.indexOf(asked) >= LOG_LEVELS.indexOf(lowest)
  }
  return wrap(pino(settings, { write: format === 'json' ? write : writePlain }), isEnabled)
}
