import type { Config } from '../../base/config/schema.ts'
import { messageOf } from '../../base/error.ts'
import { LogFile } from '../../base/log/log-file.ts'
import type { Logger } from '../../base/log/logger.ts'
import { createLogger, type LoggerOptions } from '../../base/log/pino-logger.ts'
import { type Home, logPath } from '../../node/home/home.ts'

/** The log of a running node. */
export interface NodeLog {
  /** Writes to the stream and to the file. */
  readonly logger: Logger
  /** Writes the error that ends the node, with its stack, to the file; the command line writes it to stderr. */
  end(error: unknown): void
  close(): void
}

/** Reopens the renamed log file, as in nginx. Node itself would open its debugger at this signal. */
const REOPEN = 'SIGUSR1'

/** Writes to stdout or stderr. A closed reader or a full disk must not end the node. */
function writeTo(stream: NodeJS.WriteStream, line: string): void {
  try {
    stream.write(line)
  } catch {
    // The error cannot be reported anywhere; the file has the line.
  }
}

/**
 * Opens the log of a node as configured.
 * @param level a function if the level may change
 * @param stream by default stderr
 */
export function openNodeLog(
  home: Home,
  config: Config,
  level: LoggerOptions['level'] = config.logLevel,
  stream: NodeJS.WriteStream = process.stderr,
): NodeLog {
  const { logFormat: format, logMaxBytes: maxBytes, logMaxFiles: maxFiles } = config
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const path = logPath(home, config)
  const show = (line: string): void => writeTo(stream, line)
  if (path === undefined) {
    const logger = createLogger({ level, format, write: show })
    return { logger, end: () => {}, close: () => {} }
  }
  const shown = createLogger({ level, format, write: show })
  const file = new LogFile({
    path,
    maxBytes,
    maxFiles,
    onTrouble: (reason) => {
      const name = stream === process.stdout ? 'stdout' : 'stderr'
      shown.warn(`the log file cannot be written: lines go only to ${name}`, { path, reason })
    },
    onRecovery: (lost) => logger.warn('the log file can be written again', { path, lost }),
  })
  const write = (line: string): void => file.write(line)
  const logger = createLogger({
    level,
    format,
    write: (line) => {
      show(line)
      write(line)
    },
  })
  const fileOnly = createLogger({ level, format, write })
  const end = (error: unknown): void => {
    const stack = error instanceof Error ? error.stack : undefined
    fileOnly.error('the node ends', { error: messageOf(error), stack })
  }
  const reopen = (): void => file.reopen()
  process.on(REOPEN, reopen)
  // Node writes an uncaught error to stderr and ends the process.
  process.on('uncaughtExceptionMonitor', end)
  return {
    logger,
    end,
    close: () => {
      process.off(REOPEN, reopen)
      process.off('uncaughtExceptionMonitor', end)
      file.close()
    },
  }
}
