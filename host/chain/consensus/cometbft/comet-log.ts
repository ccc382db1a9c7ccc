import type { ProcessLog } from '../../../base/process/process-log.ts'
import { RecentCache } from '../../../base/recent-cache.ts'
import type { CometLogLine } from './comet-log-line.ts'

/** Equal lines written per window; the rest are counted. */
const MOST_EQUAL = 5
const WINDOW_MS = 10_000

/** Capacity of the counters: the messages of some lines contain variable values. */
const MOST_KINDS = 1_000

/** Modules that continue without a failed peer: their errors are not errors of this node. */
const OF_PEERS: readonly string[] = ['p2p', 'pex', 'blocksync', 'statesync', 'mempool', 'evidence']

/** Modules whose lines show an operator the progress of a node. */
const OF_PROGRESS: readonly string[] = ['blocksync', 'statesync', 'main']

/** Returns CometBFT's `log_level` for a log level of the node. */
export function cometLogLevel(level: string): string {
  if (level === 'trace') return 'debug'
  if (level === 'debug') return 'info'
  return ['*:error', ...OF_PROGRESS.map((module) => `${module}:info`)].join(',')
}

/** Messages about CometBFT's internal services. */
const OF_PARTS: readonly string[] = [
  'service start',
  'service stop',
  'Version info',
  'Started node',
]

interface Repeated {
  readonly since: number
  count: number
}

/** Copies the lines of CometBFT's log into the node's log. */
export class CometLog {
  readonly #log: ProcessLog
  readonly #clock: () => number
  readonly #seen = new RecentCache<string, Repeated>(MOST_KINDS)

  /** @param clock milliseconds */
  constructor(log: ProcessLog, clock: () => number) {
    this.#log = log
    this.#clock = clock
  }

  write(line: CometLogLine): void {
    const suppressed = this.#suppressed(line)
    if (suppressed === undefined) return
    const { message, module, fields } = line
    const { err: error, ...others } = fields
    this.#log[levelOf(line)](message, {
      module,
      ...(error !== undefined && { error }),
      ...others,
      ...(suppressed > 0 && { suppressed }),
    })
  }

  /** Returns the number of equal lines dropped before this one; undefined if this one is dropped too. */
  #suppressed({ level, module, message }: CometLogLine): number | undefined {
    if (level === 'debug') return 0
    const now = this.#clock()
    const name = `${module}\n${message}`
    const seen = this.#seen.get(name)
    if (seen === undefined || now - seen.since >= WINDOW_MS) {
      this.#seen.set(name, { since: now, count: 1 })
      return Math.max(0, (seen?.count ?? 0) - MOST_EQUAL)
    }
    seen.count++
    return seen.count > MOST_EQUAL ? undefined : 0
  }
}

function levelOf({ level, module, message }: CometLogLine): keyof ProcessLog {
  if (level === 'debug') return 'trace'
  if (level === 'error') return OF_PEERS.includes(module) ? 'warn' : 'error'
  return OF_PROGRESS.includes(module) && !OF_PARTS.includes(message) ? 'info' : 'debug'
}
