import type { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../storage/store/sqlite/sqlite.ts'

/** What the API shows is stored as JSON. Other columns are for lookups, or internal. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS wallets (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  shown TEXT NOT NULL,
  address BLOB NOT NULL,
  public_key BLOB NOT NULL,
  external_id TEXT,
  archived INTEGER NOT NULL,
  key_version INTEGER NOT NULL,
  wrapped BLOB NOT NULL,
  sealed BLOB NOT NULL,
  master_key INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS wallets_of_app ON wallets (app_id, number);
CREATE INDEX IF NOT EXISTS wallets_by_address ON wallets (app_id, address);
CREATE UNIQUE INDEX IF NOT EXISTS wallets_by_external_id ON wallets (app_id, external_id)
  WHERE external_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS policies (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  shown TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS policies_of_app ON policies (app_id, number);

CREATE TABLE IF NOT EXISTS key_quorums (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  shown TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS key_quorums_of_app ON key_quorums (app_id, number);

-- References to policies and quorums. A referenced one cannot be deleted.
CREATE TABLE IF NOT EXISTS uses (
  used TEXT NOT NULL,
  user TEXT NOT NULL,
  PRIMARY KEY (used, user)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS uses_by_user ON uses (user);

-- Agents, each for one wallet. The column audited is what the audit log has: 0 nothing, 1 the creation, 2 the revocation too.
CREATE TABLE IF NOT EXISTS agents (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  policy_id TEXT,
  secret_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  audited INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS agents_to_audit ON agents (audited)
  WHERE audited < 1 OR (audited < 2 AND revoked_at IS NOT NULL);

-- Signed requests with an expiry: until then, each is executed once.
CREATE TABLE IF NOT EXISTS used_requests (
  payload BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL,
  action TEXT NOT NULL,
  answer TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS used_requests_by_expiry ON used_requests (expires_at);

-- The latest expiry of deleted rows of used_requests: if the clock is set back, those requests must not be executed again.
CREATE TABLE IF NOT EXISTS dropped_requests (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  expired_at INTEGER NOT NULL
);

-- Answers to changes, for requests that are repeated because the answer was lost.
CREATE TABLE IF NOT EXISTS answered (
  app_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  request BLOB NOT NULL,
  answered_at INTEGER NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY (app_id, request_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answered_by_time ON answered (answered_at);

-- Transactions signed in order to be sent, by request id. Needed to replace one with higher fees.
CREATE TABLE IF NOT EXISTS sent (
  app_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  encoded BLOB NOT NULL,
  signed_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, request_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sent_by_time ON sent (signed_at);

-- Charges against windows of rules. A slot is what can be executed once: a nonce on a chain.
CREATE TABLE IF NOT EXISTS charges (
  wallet_id TEXT NOT NULL,
  window TEXT NOT NULL,
  slot TEXT NOT NULL,
  charged_at INTEGER NOT NULL,
  amount TEXT NOT NULL,
  PRIMARY KEY (wallet_id, window, slot)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS charges_by_time ON charges (wallet_id, window, charged_at);
CREATE INDEX IF NOT EXISTS charges_by_age ON charges (charged_at);
`

/** Opens or creates the signer's database. */
export function openSignerDatabase(path: string): DatabaseSync {
  const database = openDatabase(path)
  database.exec(SCHEMA)
  return database
}
