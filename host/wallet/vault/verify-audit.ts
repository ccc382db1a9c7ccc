import type { DatabaseSync } from 'node:sqlite'
import { type AuditHead, entryHash, FIRST_HASH, headMac } from './audit-log.ts'
import { isSameCheck } from './master-key.ts'

export interface AuditReport {
  /** Number of entries found. */
  readonly entries: number
  readonly head: AuditHead
  /** One sentence each. Empty if the log is intact. */
  readonly faults: readonly string[]
  /** Whether the log contains the given entry. */
  readonly contains?: boolean
}

export interface AuditQuestion {
  /** Authenticates the head. Without it only the hash chain is checked. */
  readonly key: Uint8Array | undefined
  /** Hash of an entry that was recorded elsewhere. */
  readonly contains?: Uint8Array
}

interface AuditRow {
  readonly number: number
  readonly at: number
  readonly event: string
  readonly hash: Uint8Array
}

type HeadRow = AuditHead & { readonly mac: Uint8Array }

function range(from: number, to: number): string {
  return from === to ? `entry ${from} is` : `entries ${from} to ${to} are`
}

/** Yields the faults of the existing rows, and returns the last row. */
function* chainFaults(
  rows: Iterable<AuditRow>,
  see: (row: AuditRow) => void,
): Generator<string, void> {
  let last: AuditHead = { number: 0, hash: FIRST_HASH }
  for (const row of rows) {
    see(row)
    const { number, at, event, hash } = row
    const follows = number === last.number + 1
    if (!follows) yield `${range(last.number + 1, number - 1)} missing`
    // After a gap there is no previous hash to check against.
    if (follows && !isSameCheck(hash, entryHash(last.hash, number, at, event))) {
      const others = number === 1 ? '' : `, or entry ${number - 1} before it,`
      yield `entry ${number}${others} was changed or moved: its hash does not match`
    }
    last = { number, hash }
  }
}

function* headFaults(
  head: HeadRow | undefined,
  last: AuditHead,
  key: Uint8Array | undefined,
): Generator<string, void> {
  if (head === undefined) {
    if (last.number > 0) yield 'the head is missing: entries at the end may be missing, too'
    return
  }
  if (key !== undefined && !isSameCheck(head.mac, headMac(key, head))) {
    yield 'the head was changed: it does not authenticate'
  }
  if (last.number < head.number) {
    yield `${range(last.number + 1, head.number)} missing at the end`
  } else if (last.number > head.number) {
    yield `${range(head.number + 1, last.number)} after the head: the signer did not write them`
  } else if (!isSameCheck(head.hash, last.hash)) {
    yield `the hash of entry ${last.number} does not match the head`
  }
}

/** Verifies every entry of the audit log of a signer's database, which may be in use. */
export function verifyAudit(database: DatabaseSync, question: AuditQuestion): AuditReport {
  // A consistent view while the signer continues to write.
  database.exec('BEGIN')
  try {
    const rows = database.prepare('SELECT * FROM audit ORDER BY number').iterate()
    let entries = 0
    let last: AuditHead = { number: 0, hash: FIRST_HASH }
    let contains = false
    const see = (row: AuditRow): void => {
      entries++
      last = row
      contains ||= question.contains !== undefined && isSameCheck(row.hash, question.contains)
    }
    const ofChain = [...chainFaults(rows as unknown as Iterable<AuditRow>, see)]
    const head = database.prepare('SELECT * FROM audit_head').get() as unknown as
      | HeadRow
      | undefined
    const faults = [...ofChain, ...headFaults(head, last, question.key)]
    const { number, hash } = last
    return {
      entries,
      head: { number, hash },
      faults,
      ...(question.contains !== undefined && { contains }),
    }
  } finally {
    database.exec('COMMIT')
  }
}
