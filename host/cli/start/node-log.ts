import type { Config } from '../../base/config/schema.ts'
import { messageOf } from '../../base/error.ts'
import { LogFile } from '../../base/log/log-file.ts'
import type { Logger } from '../../base/log/logger.ts'
import { createLogger } from '../../base/log/pino-logger.ts'
import { type Home, logPath } from '../../node/home/home.ts'

/** The log of a running node. */
export interface NodeLog {
  /** Writes to stderr and to the file. */
  readonly logger: Logger
  /** Keeps the error that ends the node, with its stack, in the file: stderr gets it from the command line. */
  end(error: unknown): void
  close(): void
}

/** Tells that the file was renamed, as nginx is told. Node itself would open its debugger at this signal. */
const REOPEN = 'SIGUSR1'

/** Writes to stderr; whoever reads it may be gone, or its disk full, which must not end a node. */
function writeStderr(line: string): void {
  try {
    process.stderr.write(line)
  } catch {
    // There is nowhere left to say so; the file has the line.
  }
}

/** Opens the log of a node by its configuration. */
export function openNodeLog(home: Home, config: Config): NodeLog {
  const {
    logLevel: level,
    logFormat: format,
    logMaxBytes: maxBytes,
    logMaxFiles: maxFiles,
  } = config
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const path = logPath(home, config)
  if (path === undefined) {
    const logger = createLogger({ level, format, write: writeStderr })
    return { logger, end: () => {}, close: () => {} }
  }
  const stderr = createLogger({ level, format, write: writeStderr })
  const file = new LogFile({
    path,
    maxBytes,
    maxFiles,
    onTrouble: (reason) => {
      stderr.warn('the log file cannot be written: lines go to stderr alone', { path, reason })
    },
    onRecovery: (lost) => logger.warn('the log file can be written again', { path, lost }),
  })
  const write = (line: string): void => file.write(line)
  const logger = createLogger({
    level,
    format,
    write: (line) => {
      writeStderr(line)
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
  // Node writes a defect that nobody catches to stderr and ends the process.
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
