import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import canonicalize from 'canonicalize'
import { LockstepError } from '../../base/error.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { openAuditKey } from './audit-key.ts'
import { isSameCheck, macOf } from './master-key.ts'
import type { Vault } from './vault.ts'

/** An event in the audit log. Contains no secrets. */
export interface AuditEvent {
  /** Such as `wallet.created`. */
  readonly kind: string
  /** Empty if no app caused it. */
  readonly appId: string
  /** Id of the wallet, policy or quorum concerned. */
  readonly subject: string
  /** A JSON object. */
  readonly details: Readonly<Record<string, unknown>>
}

/** The last entry. */
export interface AuditHead {
  /** Entries are numbered from 1. 0 for an empty log. */
  readonly number: number
  readonly hash: Uint8Array
}

/**
 * Each entry is an event as canonical JSON (RFC 8785). Its hash is SHA-256 over the previous hash, its number and
 * time (8 bytes each, big-endian) and that text in UTF-8. The head is the last number and hash, with an HMAC-SHA-256
 * over both.
 */
export const AUDIT_SCHEMA = `
CREATE TABLE IF NOT EXISTS audit (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  hash BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS audit_head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  number INTEGER NOT NULL,
  hash BLOB NOT NULL,
  mac BLOB NOT NULL
);
`

interface HeadMac {
  readonly mac: Uint8Array
}

/** Tables with integrity checks of their own. */
export const AUDIT_TABLES = ['audit', 'audit_head'] as const

/** The hash before the first entry. */
export const FIRST_HASH: Uint8Array = new Uint8Array(32)

function numberBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** @param at milliseconds since 1970 */
export function entryHash(
  previous: Uint8Array,
  number: number,
  at: number,
  event: string,
): Uint8Array {
  return createHash('sha256')
    .update(previous)
    .update(numberBytes(number))
    .update(numberBytes(at))
    .update(event, 'utf8')
    .digest()
}

export function headMac(key: Uint8Array, { number, hash }: AuditHead): Uint8Array {
  return macOf(key, [numberBytes(number), hash])
}

/** The audit log of a signer's database. */
export class AuditLog {
  readonly #key: Uint8Array
  readonly #sql: Statements
  readonly #readHead: StatementSync
  #head: AuditHead | undefined

  constructor(database: DatabaseSync, vault: Vault) {
    database.exec(AUDIT_SCHEMA)
    this.#key = openAuditKey(database, vault)
    this.#sql = new Statements(database)
    this.#readHead = database.prepare('SELECT number, hash FROM audit_head')
    this.#checkEnd(database)
  }

  get head(): AuditHead {
    this.#head ??= (this.#readHead.get() as unknown as AuditHead | undefined) ?? {
      number: 0,
      hash: FIRST_HASH,
    }
    return this.#head
  }

  /** Refuses a damaged end: the next entry would be blamed for the mismatch. @throws STORE_CORRUPTED */
  #checkEnd(database: DatabaseSync): void {
    const head = database.prepare('SELECT number, hash, mac FROM audit_head').get()
    const last = database
      .prepare('SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1')
      .get()
    if (head === undefined && last === undefined) return
    const { number, hash, mac } = (head ?? {}) as unknown as Partial<AuditHead & HeadMac>
    const isOurs =
      number !== undefined &&
      hash !== undefined &&
      mac !== undefined &&
      isSameCheck(mac, headMac(this.#key, { number, hash }))
    if (isOurs && last?.number === number && isSameCheck(last.hash as Uint8Array, hash)) return
    throw new LockstepError(
      'STORE_CORRUPTED',
      `the audit log is damaged: its head ${number ?? 'is missing'} and its last entry ${last?.number ?? 'none'} do not match`,
      {
        hint:
          'run `lockstep wallet audit verify` to see what is missing, and restore the folder of the signer from a ' +
          'backup that was made while the node was stopped',
      },
    )
  }

  /** Appends an entry within the open database transaction. @param at milliseconds since 1970 */
  append(event: AuditEvent, at: number): void {
    const text = canonicalize(event)
    if (text === undefined) throw new TypeError('an event is an object')
    const before = this.head
    const number = before.number + 1
    const hash = entryHash(before.hash, number, at, text)
    this.#sql.run('INSERT INTO audit VALUES (?, ?, ?, ?)', number, at, text, hash)
    const head = { number, hash }
    this.#sql.run(
      'INSERT OR REPLACE INTO audit_head VALUES (1, ?, ?, ?)',
      number,
      hash,
      headMac(this.#key, head),
    )
    this.#head = head
  }

  /** Drops the cached head: after a rollback. */
  forget(): void {
    this.#head = undefined
  }

  close(): void {
    this.#key.fill(0)
  }
}
