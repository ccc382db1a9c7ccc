import { FAILURES, type FailureName, type FailureRow } from '../../base/failure-table.ts'
import { type Finding, fault, type Subject, warning } from './finding.ts'

/** A known failure found in a log. */
export interface LoggedFailure {
  readonly name: FailureName
  readonly count: number
  /** Number (from 1) and text of the last matching line. */
  readonly lastLine: number
  readonly lastText: string
  /** True if the node started successfully after it, or a later line ends it. */
  readonly isPast: boolean
}

/** Facts read from a log. */
export interface LogReading {
  readonly lines: number
  readonly failures: readonly LoggedFailure[]
  /** Versions at the latest start. */
  readonly started: { readonly version: string; readonly node: string } | undefined
}

const SUBJECT_OF: Readonly<Record<FailureName, Subject>> = {
  DUPLICATE_SIGNATURE: 'signing',
  APP_HASH: 'app hash',
  DATABASE_CORRUPTED: 'store',
  DATABASE_LOCKED: 'process',
  VALIDATOR_FILE: 'keys',
  CONSENSUS_HALTED: 'consensus',
  HANDSHAKE_ID: 'peers',
  DIAL_REFUSED: 'peers',
  NO_PEERS: 'peers',
  NO_PEX_PEERS: 'peers',
  HANDSHAKE_EOF: 'peers',
}

/** A start that opened its stores, for releases that do not log when they are up. */
const OPENED = /NodeDB SS is enabled/

/** A node that is up, of this release or on CometBFT, in plain text or JSON. */
const UP = /(?: INF |"message":")(?:started\b|Started node)/

/** A start of this node, in plain text or JSON. */
const STARTED = / INF starting |"message":"starting"/
const RELEASES = /\bversion"?[=:]"?([\w.+-]+)"?,?\s*"?node"?[=:]"?(v[\d.]+)/

/** Characters of a line that are searched; only stacks are longer, and no pattern matches those. */
const LONGEST_LINE = 20_000

const ROWS = Object.entries(FAILURES) as readonly (readonly [FailureName, FailureRow])[]

/** Finds the known failures in log lines. */
export async function readLogFailures(
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<LogReading> {
  const found = new Map<FailureName, { count: number; lastLine: number; lastText: string }>()
  const overAt = new Map<FailureName, number>()
  let opened = 0
  let up = 0
  let number = 0
  let started: LogReading['started']
  for await (const line of lines) {
    number++
    const text = line.slice(0, LONGEST_LINE)
    if (OPENED.test(text)) opened = number
    if (UP.test(text)) up = number
    const start = STARTED.test(text) ? RELEASES.exec(text) : null
    if (start !== null) started = { version: start[1] ?? '', node: start[2] ?? '' }
    for (const [name, { pattern, over }] of ROWS) {
      if (over?.test(text)) overAt.set(name, number)
      if (!pattern.test(text)) continue
      const count = (found.get(name)?.count ?? 0) + 1
      found.set(name, { count, lastLine: number, lastText: text })
    }
  }
  const failures = ROWS.flatMap(([name]): LoggedFailure[] => {
    const seen = found.get(name)
    if (seen === undefined) return []
    // A node also starts without peers: only a later start, or a line that says so, ends a peer failure.
    const { over }: FailureRow = FAILURES[name]
    const startedAt = over !== undefined || up === 0 ? opened : up
    const endedAt = Math.max(startedAt, overAt.get(name) ?? 0)
    return [{ name, ...seen, isPast: seen.lastLine < endedAt }]
  })
  return { lines: number, failures, started }
}

const LONGEST_QUOTE = 300

/** Facts about the node that the log belongs to. */
export interface LogContext {
  /** True if the running node keeps up with its peers. */
  readonly isFollowing: boolean
  /** Highest height signed by the home's key; undefined if the node does not sign. */
  readonly signed: number | undefined
}

/** Returns the highest block height in a line. */
function heightIn(text: string): number {
  const heights = [...text.matchAll(/\b(?:height|block)[ =:"]+(\d+)/gi)]
  return Math.max(0, ...heights.map(([, digits]) => Number(digits)))
}

/** Converts a log's failures to findings, causes before symptoms. */
export function findingsOf(
  { failures }: LogReading,
  source: string,
  { isFollowing, signed }: LogContext,
): readonly Finding[] {
  // A duplicate signature stays a fault after a restart.
  const present = failures.filter(({ name, isPast }) => !isPast || name === 'DUPLICATE_SIGNATURE')
  return present.map(({ name, count, lastLine, lastText, isPast }) => {
    const { text, cause, remedy, symptomOf, passing }: FailureRow = FAILURES[name]
    const root = present.find((failure) => failure.name === symptomOf)
    const times = count === 1 ? `line ${lastLine}` : `${count} times, last in line ${lastLine}`
    const quote = lastText.trim().slice(0, LONGEST_QUOTE)
    const what = `${text}: ${cause} (${source}, ${times}: ${quote})`
    const subject = SUBJECT_OF[name]
    if (isPast && signed !== undefined && signed > heightIn(quote)) {
      const since = `the node has started since, and signed up to height ${signed}`
      return warning(subject, `${what}; ${since}`, remedy)
    }
    // A node that keeps up with the chain has recovered its peers.
    const isPassing = subject === 'peers' && (isFollowing || passing?.test(lastText) === true)
    const severity = isPassing ? warning : fault
    if (root === undefined) return severity(subject, what, remedy)
    const first = `it usually follows from "${FAILURES[root.name].text}": fix that first; then `
    return severity(subject, what, `${first}${remedy}`)
  })
}
