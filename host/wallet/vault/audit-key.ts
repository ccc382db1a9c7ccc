import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import type { KeyOwner, SealedKey, Vault } from './vault.ts'

/** A single row: the key that authenticates the head of the audit log, sealed like the keys of wallets. */
export const AUDIT_KEY_SCHEMA = `
CREATE TABLE IF NOT EXISTS audit_key (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  key_version INTEGER NOT NULL,
  wrapped BLOB NOT NULL,
  sealed BLOB NOT NULL,
  master_key INTEGER NOT NULL
);
`

const ADDRESS_BYTES = 20
const KEY_BYTES = 32

/** No wallet can have this id. */
export const AUDIT_OWNER: KeyOwner = {
  walletId: 'the audit log',
  address: new Uint8Array(ADDRESS_BYTES),
}

interface AuditKeyRow {
  readonly key_version: 1
  readonly wrapped: Uint8Array
  readonly sealed: Uint8Array
  readonly master_key: number
}

export function readAuditKey(database: DatabaseSync): SealedKey | undefined {
  const row = database.prepare('SELECT * FROM audit_key').get() as unknown as
    | AuditKeyRow
    | undefined
  if (row === undefined) return undefined
  const { key_version: version, wrapped, sealed, master_key: masterKey } = row
  return { version, wrapped, sealed, masterKey }
}

export function writeAuditKey(database: DatabaseSync, key: SealedKey): void {
  new Statements(database).run(
    'INSERT OR REPLACE INTO audit_key VALUES (1, ?, ?, ?, ?)',
    key.version,
    key.wrapped,
    key.sealed,
    key.masterKey,
  )
}

/** Returns the key that authenticates the log. Creates it if it does not exist. */
export function openAuditKey(database: DatabaseSync, vault: Vault): Uint8Array {
  database.exec(AUDIT_KEY_SCHEMA)
  const known = readAuditKey(database)
  if (known !== undefined) {
    return vault.open(known, AUDIT_OWNER, (secret) => Uint8Array.from(secret))
  }
  const key = Uint8Array.from(randomBytes(KEY_BYTES))
  writeAuditKey(database, vault.seal(key, AUDIT_OWNER))
  return key
}
