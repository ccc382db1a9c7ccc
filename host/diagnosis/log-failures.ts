import { FAILURES, type FailureName, type FailureRow } from '../base/failure-table.ts'
import { type Finding, fault, type Subject, warning } from './finding.ts'

/** A failure that a log tells of. */
export interface LoggedFailure {
  readonly name: FailureName
  readonly count: number
  /** Number of the last such line, from 1, and the line. */
  readonly lastLine: number
  readonly lastText: string
  /** True where the node was started again after it. */
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

/** The first line of a start that opens its stores, of this node and of seid. */
const OPENED = /NodeDB SS is enabled/

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
  let opened = 0
  let number = 0
  let started: LogReading['started']
  for await (const line of lines) {
    number++
    const text = line.slice(0, LONGEST_LINE)
    if (OPENED.test(text)) opened = number
    const start = STARTED.test(text) ? RELEASES.exec(text) : null
    if (start !== null) started = { version: start[1] ?? '', node: start[2] ?? '' }
    for (const [name, { pattern }] of ROWS) {
      if (!pattern.test(text)) continue
      const count = (found.get(name)?.count ?? 0) + 1
      found.set(name, { count, lastLine: number, lastText: text })
    }
  }
  const failures = ROWS.flatMap(([name]): LoggedFailure[] => {
    const seen = found.get(name)
    if (seen === undefined) return []
    // Two signatures stay two, whatever was started since.
    const isPast = seen.lastLine < opened && name !== 'DUPLICATE_SIGNATURE'
    return [{ name, ...seen, isPast }]
  })
  return { lines: number, failures, started }
}

const LONGEST_QUOTE = 300

/** What a log's failures mean, causes before their symptoms. */
export function findingsOf(
  { failures }: LogReading,
  source: string,
  isFollowing: boolean,
): readonly Finding[] {
  const present = failures.filter(({ isPast }) => !isPast)
  return present.map(({ name, count, lastLine, lastText }) => {
    const { cause, remedy, symptomOf }: FailureRow = FAILURES[name]
    const root = present.find((failure) => failure.name === symptomOf)
    const times = count === 1 ? `line ${lastLine}` : `${count} times, last in line ${lastLine}`
    const what = `${source}, ${times}: ${lastText.trim().slice(0, LONGEST_QUOTE)} (${cause})`
    const subject = SUBJECT_OF[name]
    if (root !== undefined) {
      const first = `most often it follows from "${FAILURES[root.name].text}": mend that first; then `
      return fault(subject, what, `${first}${remedy}`)
    }
    // A node that keeps up with the chain has found its peers again.
    return subject === 'peers' && isFollowing
      ? warning(subject, what, remedy)
      : fault(subject, what, remedy)
  })
}
