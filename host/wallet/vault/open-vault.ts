import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { LockstepError } from '../../base/error.ts'
import { LAST_MILLISECOND } from '../../base/time.ts'
import { requireCount } from '../../base/writable.ts'
import {
  ARGON2,
  type Derivation,
  deriveMasterKey,
  isSameCheck,
  type MasterKey,
} from './master-key.ts'
import type { MasterSecret } from './master-secret.ts'
import { Vault } from './vault.ts'

/** One row per master key. The last one is in use. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS master_keys (
  number INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  salt BLOB,
  memory INTEGER,
  passes INTEGER,
  lanes INTEGER,
  key_check BLOB NOT NULL,
  made_at INTEGER NOT NULL
);
`

const SALT_BYTES = 16

interface MasterRow {
  readonly number: number
  readonly kind: MasterSecret['kind']
  readonly salt: Uint8Array
  readonly memory: number
  readonly passes: number
  readonly lanes: number
  readonly key_check: Uint8Array
  readonly made_at: number
}

export interface OpenedVault {
  readonly vault: Vault
  /** Index of the secret that opened it. */
  readonly secret: number
}

/** Returns new derivation parameters for a secret. */
function freshDerivation({ kind }: MasterSecret): Derivation {
  return kind === 'key' ? { kind } : { kind, salt: randomBytes(SALT_BYTES), ...ARGON2 }
}

function derivationOf(row: MasterRow): Derivation {
  const { kind, salt, memory, passes, lanes } = row
  return kind === 'key' ? { kind } : { kind, salt, memory, passes, lanes }
}

/** Stores the next master key within the open database transaction. */
export function addMasterKey(
  database: DatabaseSync,
  secret: MasterSecret,
  now: number,
): MasterKey & { readonly number: number } {
  requireCount(now, 'the time of a master key', LAST_MILLISECOND)
  const derivation = freshDerivation(secret)
  const key = deriveMasterKey(secret, derivation)
  if (key === undefined) throw new TypeError('a fresh derivation is of the kind of its secret')
  const { salt, memory, passes, lanes } =
    derivation.kind === 'key' ? { salt: null, memory: null, passes: null, lanes: null } : derivation
  const { lastInsertRowid } = database
    .prepare(
      'INSERT INTO master_keys (kind, salt, memory, passes, lanes, key_check, made_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(secret.kind, salt, memory, passes, lanes, key.check, now)
  return { ...key, number: Number(lastInsertRowid) }
}

function wrongKey(rows: readonly MasterRow[], secrets: readonly MasterSecret[]): LockstepError {
  const [newest, ...earlier] = rows as [MasterRow, ...MasterRow[]]
  const madeAt = new Date(newest.made_at).toISOString()
  const before = earlier.find((row) => secrets.some((secret) => matches(secret, row) !== undefined))
  if (before !== undefined) {
    return new LockstepError(
      'MASTER_KEY_WRONG',
      `the master key is number ${before.number}, which was replaced by number ${newest.number} on ${madeAt}`,
      { hint: 'give the master key of the last rotation' },
    )
  }
  const kind = newest.kind === 'key' ? 'a key' : 'a passphrase'
  return new LockstepError(
    'MASTER_KEY_WRONG',
    `none of the given secrets is master key number ${newest.number}, ${kind}, of ${madeAt}`,
  )
}

function matches(secret: MasterSecret, row: MasterRow): MasterKey | undefined {
  const key = deriveMasterKey(secret, derivationOf(row))
  if (key === undefined || isSameCheck(key.check, row.key_check)) return key
  key.wrapping.fill(0)
  return undefined
}

/**
 * Opens the vault of a signer's database, or creates it. Zeroes the secrets.
 * @param now milliseconds since 1970
 * @throws MASTER_KEY_WRONG
 */
export function openVault(
  database: DatabaseSync,
  secrets: readonly MasterSecret[],
  now: number,
): OpenedVault {
  try {
    // Deleted rows are overwritten: keys wrapped by an earlier master key must not be recoverable.
    database.exec('PRAGMA secure_delete = ON')
    database.exec(SCHEMA)
    const rows = database
      .prepare('SELECT * FROM master_keys ORDER BY number DESC')
      .all() as unknown as MasterRow[]
    const [newest] = rows
    const [first] = secrets
    if (newest === undefined) {
      if (first === undefined) throw new TypeError('a vault is made of a secret')
      const { wrapping, number } = addMasterKey(database, first, now)
      return { vault: new Vault({ wrapping, number }), secret: 0 }
    }
    for (const [secret, candidate] of secrets.entries()) {
      const key = matches(candidate, newest)
      if (key === undefined) continue
      const { wrapping } = key
      return { vault: new Vault({ wrapping, number: newest.number }), secret }
    }
    throw wrongKey(rows, secrets)
  } finally {
    for (const { bytes } of secrets) bytes.fill(0)
  }
}
