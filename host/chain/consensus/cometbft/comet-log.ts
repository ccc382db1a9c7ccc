import type { ProcessLog } from '../../../base/process/process-log.ts'
import type { CometLogLine } from './comet-log-line.ts'

/** Equal lines that are written within a time; of those beyond, their number. */
const MOST_EQUAL = 5
const WINDOW_MS = 10_000

/** Kinds of lines whose number is known: some have what differs in their text. */
const MOST_KINDS = 1_000

/** Parts of CometBFT that go on without their peer: what fails there is no error of this node. */
const OF_PEERS: readonly string[] = ['p2p', 'pex', 'blocksync', 'statesync', 'mempool', 'evidence']

/** Parts whose lines tell an operator how far a node is. */
const OF_PROGRESS: readonly string[] = ['blocksync', 'statesync', 'main']

/** What CometBFT is asked to write, by the level of the node's log. */
export function cometLogLevel(level: string): string {
  if (level === 'trace') return 'debug'
  if (level === 'debug') return 'info'
  return ['*:error', ...OF_PROGRESS.map((module) => `${module}:info`)].join(',')
}

/** Lines of these that tell of CometBFT's own parts. */
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

/** Writes the lines of CometBFT's log into that of the node. */
export class CometLog {
  readonly #log: ProcessLog
  readonly #clock: () => number
  readonly #seen = new Map<string, Repeated>()

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

  /** Number of equal lines that were left out before this one; undefined where it is left out too. */
  #suppressed({ level, module, message }: CometLogLine): number | undefined {
    if (level === 'debug') return 0
    const now = this.#clock()
    const name = `${module}\n${message}`
    const seen = this.#seen.get(name)
    if (seen === undefined || now - seen.since >= WINDOW_MS) {
      if (this.#seen.size >= MOST_KINDS) this.#seen.clear()
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
