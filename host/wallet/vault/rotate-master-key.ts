import type { DatabaseSync } from 'node:sqlite'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { AUDIT_OWNER, readAuditKey, writeAuditKey } from './audit-key.ts'
import { AuditLog } from './audit-log.ts'
import type { MasterSecret } from './master-secret.ts'
import { addMasterKey, openVault } from './open-vault.ts'
import type { SealedKey, Vault } from './vault.ts'

interface WalletRow {
  readonly number: number
  readonly id: string
  readonly address: Uint8Array
  readonly key_version: 1
  readonly wrapped: Uint8Array
  readonly sealed: Uint8Array
  readonly master_key: number
}

export interface Rotation {
  /** Number of the new master key. */
  readonly number: number
  /** Number of wallets whose keys it wraps. */
  readonly wallets: number
}

function keyOf({
  key_version: version,
  wrapped,
  sealed,
  master_key: masterKey,
}: WalletRow): SealedKey {
  return { version, wrapped, sealed, masterKey }
}

function rewrapAll(
  database: DatabaseSync,
  vault: Vault,
  next: { readonly number: number; readonly wrapping: Uint8Array },
): number {
  const sql = new Statements(database)
  // Paged by row number, so that rewritten rows are not read twice.
  const page = database.prepare('SELECT * FROM wallets WHERE number > ? ORDER BY number LIMIT 1000')
  let wallets = 0
  for (let last = 0; ; ) {
    const rows = page.all(last) as unknown as WalletRow[]
    if (rows.length === 0) return wallets
    for (const row of rows) {
      const owner = { walletId: row.id, address: row.address }
      const key = vault.rewrap(keyOf(row), owner, next)
      sql.run(
        'UPDATE wallets SET wrapped = ?, master_key = ? WHERE number = ?',
        key.wrapped,
        key.masterKey,
        row.number,
      )
      last = row.number
      wallets++
    }
  }
}

/**
 * Rewraps the keys of all wallets with another master key. No signer may have the database open. Runs in one
 * transaction: after an interruption either key is in use, never both. Zeroes the secrets.
 * @param now milliseconds since 1970
 * @throws MASTER_KEY_WRONG
 * @throws STORE_CORRUPTED if a key does not authenticate; nothing is changed
 */
export function rotateMasterKey(
  database: DatabaseSync,
  secrets: readonly MasterSecret[],
  next: MasterSecret,
  now: number,
): Rotation {
  const { vault } = openVault(database, secrets, now)
  try {
    database.exec('BEGIN IMMEDIATE')
    try {
      const key = addMasterKey(database, next, now)
      const wallets = rewrapAll(database, vault, key)
      const audit = new AuditLog(database, vault)
      const auditKey = readAuditKey(database)
      if (auditKey !== undefined) {
        writeAuditKey(database, vault.rewrap(auditKey, AUDIT_OWNER, key))
      }
      const details = { number: key.number, kind: next.kind, wallets }
      audit.append({ kind: 'master_key.rotated', appId: '', subject: '', details }, now)
      audit.close()
      key.wrapping.fill(0)
      database.exec('COMMIT')
      return { number: key.number, wallets }
    } catch (thrown) {
      database.exec('ROLLBACK')
      throw thrown
    }
  } finally {
    // Removes keys wrapped by the old master key from the write-ahead log.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    vault.close()
    next.bytes.fill(0)
  }
}
