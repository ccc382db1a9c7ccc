import { FAILURES, type FailureName, type FailureRow } from '../../base/failure-table.ts'
import { type Finding, fault, type Subject, warning } from './finding.ts'

/** A failure that a log tells of. */
export interface LoggedFailure {
  readonly name: FailureName
  readonly count: number
  /** Number of the last such line, from 1, and the line. */
  readonly lastLine: number
  readonly lastText: string
  /** True if the node came up after it, or a later line says that it is over. */
  readonly isPast: boolean
}

/** What a log says of the node. */
export interface LogReading {
  readonly lines: number
  readonly failures: readonly LoggedFailure[]
  /** Releases of the newest start. */
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

/** A start that has opened its stores, of releases that do not say when they are up. */
const OPENED = /NodeDB SS is enabled/

/** A node that is up, of this release and of those on CometBFT; as plain text or JSON. */
const UP = /(?: INF |"message":")(?:started\b|Started node)/

/** A start of this node, as plain text or JSON. */
const STARTED = / INF starting |"message":"starting"/
const RELEASES = /\bversion"?[=:]"?([\w.+-]+)"?,?\s*"?node"?[=:]"?(v[\d.]+)/

/** A line says nothing more behind this, but for stacks, which the table does not look for. */
const LONGEST_LINE = 20_000

const ROWS = Object.entries(FAILURES) as readonly (readonly [FailureName, FailureRow])[]

/** Looks for the table's failures in lines. */
export async function readLog(
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
    // A node comes up without its peers as well: only a later start, or a line that says so, ends what they fail at.
    const { over }: FailureRow = FAILURES[name]
    const startedAt = over !== undefined || up === 0 ? opened : up
    const endedAt = Math.max(startedAt, overAt.get(name) ?? 0)
    return [{ name, ...seen, isPast: seen.lastLine < endedAt }]
  })
  return { lines: number, failures, started }
}

const LONGEST_QUOTE = 300

/** What else is known of the node whose log it is. */
export interface LogContext {
  /** True if the running node keeps up with its peers. */
  readonly isFollowing: boolean
  /** Newest height that the key of the home has signed; undefined if the node signs nothing. */
  readonly signed: number | undefined
}

/** The highest number of a line that counts blocks. */
function heightIn(text: string): number {
  const heights = [...text.matchAll(/\b(?:height|block)[ =:"]+(\d+)/gi)]
  return Math.max(0, ...heights.map(([, digits]) => Number(digits)))
}

/** What a log's failures mean, causes before their symptoms. */
export function findingsOf(
  { failures }: LogReading,
  source: string,
  { isFollowing, signed }: LogContext,
): readonly Finding[] {
  // Two signatures stay two, whatever was started since.
  const present = failures.filter(({ name, isPast }) => !isPast || name === 'DUPLICATE_SIGNATURE')
  return present.map(({ name, count, lastLine, lastText, isPast }) => {
    const { text, cause, remedy, symptomOf, passing }: FailureRow = FAILURES[name]
    const root = present.find((failure) => failure.name === symptomOf)
    const times = count === 1 ? `line ${lastLine}` : `${count} times, last in line ${lastLine}`
    const quote = lastText.trim().slice(0, LONGEST_QUOTE)
    const what = `${text}: ${cause} (${source}, ${times}: ${quote})`
    const subject = SUBJECT_OF[name]
    if (isPast && signed !== undefined && signed > heightIn(quote)) {
      const since = `the node has come up since, and signed up to height ${signed}`
      return warning(subject, `${what}; ${since}`, remedy)
    }
    // A node that keeps up with the chain has found its peers again.
    const isPassing = subject === 'peers' && (isFollowing || passing?.test(lastText) === true)
    const severity = isPassing ? warning : fault
    if (root === undefined) return severity(subject, what, remedy)
    const first = `most often it follows from "${FAILURES[root.name].text}": mend that first; then `
    return severity(subject, what, `${first}${remedy}`)
  })
}
