import type { DatabaseSync } from 'node:sqlite'
import type { Hex } from '../../base/hex.ts'
import { migrate } from '../../storage/store/sqlite/migrate.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { storableText } from '../../storage/store/sqlite/storable.ts'
import type { TransactionStatus } from '../protocol/chain-shapes.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { FilledTransaction } from '../signer/signer-link.ts'
import type { ApiTransaction, TransactionFields } from './pipeline.ts'

const MIGRATIONS: readonly string[] = [
  `CREATE TABLE transactions (
     id TEXT PRIMARY KEY,
     app_id TEXT NOT NULL,
     wallet_id TEXT NOT NULL,
     caip2 TEXT NOT NULL,
     address TEXT NOT NULL,
     reference_id TEXT,
     dedupe_key TEXT,
     dedupe_digest TEXT,
     dedupe_until INTEGER,
     status TEXT NOT NULL,
     problem TEXT,
     nonce INTEGER,
     hash TEXT,
     request TEXT,
     filled TEXT,
     block_number INTEGER,
     block_hash TEXT,
     -- 1 while the chain can still change what became of it
     is_open INTEGER NOT NULL DEFAULT 1,
     missed INTEGER NOT NULL DEFAULT 0,
     was_told INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL,
     signed_at INTEGER
   ) STRICT;
   CREATE UNIQUE INDEX transactions_dedupe ON transactions (app_id, dedupe_key) WHERE dedupe_key IS NOT NULL;
   CREATE INDEX transactions_wallet ON transactions (app_id, wallet_id, created_at, id);
   CREATE INDEX transactions_open ON transactions (caip2, address, nonce) WHERE is_open = 1;
   CREATE INDEX transactions_given_up ON transactions (caip2, signed_at)
     WHERE is_open = 0 AND status IN ('replaced', 'failed', 'provider_error');
   CREATE INDEX transactions_nonce ON transactions (caip2, address, nonce);
   CREATE TABLE attempts (
     hash TEXT NOT NULL,
     transaction_id TEXT NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
     caip2 TEXT NOT NULL,
     address TEXT NOT NULL,
     nonce INTEGER NOT NULL,
     number INTEGER NOT NULL,
     raw TEXT NOT NULL,
     PRIMARY KEY (transaction_id, hash)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX attempts_nonce ON attempts (caip2, address, nonce);`,
]

/** A row of `transactions`. */
export interface StoredTransaction {
  readonly id: string
  readonly app_id: string
  readonly wallet_id: string
  readonly caip2: string
  /** The wallet's address in lower case. */
  readonly address: Hex
  readonly reference_id: string | null
  readonly dedupe_digest: string | null
  readonly status: TransactionStatus
  readonly problem: string | null
  readonly nonce: number | null
  readonly hash: Hex | null
  /** JSON of the requested transaction. Null once it is final. */
  readonly request: string | null
  /** JSON of the filled fields, all decimal. */
  readonly filled: string | null
  readonly block_number: number | null
  readonly block_hash: string | null
  readonly is_open: 0 | 1
  readonly missed: number
  readonly was_told: 0 | 1
  readonly created_at: number
  readonly signed_at: number | null
}

/** Signed bytes that may have been sent. */
export interface SignedAttempt {
  readonly hash: Hex
  readonly transaction_id: string
  readonly nonce: number
  readonly raw: Hex
}

/** Identity of a request. A repetition is answered with the transaction of the first request. */
export interface RequestIdentity {
  readonly key: string
  /** Digest of the request. The same key with another digest is rejected. */
  readonly digest: string
  /** Milliseconds since 1970. */
  readonly until: number
}

export interface NewTransaction {
  readonly id: string
  readonly appId: string
  readonly fields: TransactionFields
  readonly walletId: string
  readonly caip2: string
  readonly address: Hex
  readonly referenceId: string | null
  readonly sameness: RequestIdentity | undefined
  readonly now: number
}

/** Waiting for inclusion in a block. */
export const WAITING = `status IN ('pending', 'broadcasted')`

export function shownTransaction(row: StoredTransaction): ApiTransaction {
  const { id, wallet_id, caip2, hash, status, reference_id, created_at } = row
  return { id, wallet_id, caip2, transaction_hash: hash, status, reference_id, created_at }
}

export function filledText(filled: FilledTransaction): string {
  return JSON.stringify(filled, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** Parses stored filled fields. */
export function storedFilling(text: string): FilledTransaction {
  return JSON.parse(text, (key, value) => (key === '' ? value : BigInt(value)))
}

/**
 * Transactions and their signed bytes in the service's database. Methods that write need an open database
 * transaction.
 */
export class TransactionStore {
  readonly #sql: Statements

  constructor(database: DatabaseSync) {
    this.#sql = new Statements(database)
    migrate(database, 'transactions', MIGRATIONS)
  }

  insert(made: NewTransaction): void {
    const { appId, fields, sameness } = made
    this.#sql.run(
      `INSERT INTO transactions (id, app_id, wallet_id, caip2, address, reference_id, dedupe_key, dedupe_digest,
         dedupe_until, status, request, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
      made.id,
      appId,
      made.walletId,
      made.caip2,
      made.address,
      made.referenceId,
      sameness?.key ?? null,
      sameness?.digest ?? null,
      sameness?.until ?? null,
      JSON.stringify(fields),
      made.now,
    )
  }

  remove(id: string): void {
    this.#sql.run('DELETE FROM transactions WHERE id = ?', id)
  }

  /** Stores signed bytes. Call it before they leave the process. */
  addAttempt(
    row: StoredTransaction,
    attempt: Omit<SignedAttempt, 'transaction_id'>,
    filled: FilledTransaction,
    now: number,
  ): void {
    this.#sql.run(
      `INSERT OR IGNORE INTO attempts (hash, transaction_id, caip2, address, nonce, number, raw)
       VALUES (?, ?, ?, ?, ?, (SELECT count(*) FROM attempts WHERE transaction_id = ?), ?)`,
      attempt.hash,
      row.id,
      row.caip2,
      row.address,
      attempt.nonce,
      row.id,
      attempt.raw,
    )
    this.#sql.run(
      'UPDATE transactions SET nonce = ?, hash = ?, filled = ?, was_told = 0, signed_at = ? WHERE id = ?',
      attempt.nonce,
      attempt.hash,
      filledText(filled),
      now,
      row.id,
    )
  }

  /** Returns to the previous attempt, which the pool still has. */
  removeAttempt(id: string, hash: Hex, before: FilledTransaction): void {
    this.#sql.run('DELETE FROM attempts WHERE transaction_id = ? AND hash = ?', id, hash)
    this.#sql.run(
      `UPDATE transactions SET filled = ?2, hash =
         (SELECT hash FROM attempts WHERE transaction_id = ?1 ORDER BY number DESC LIMIT 1) WHERE id = ?1`,
      id,
      filledText(before),
    )
  }

  find(id: string): StoredTransaction | undefined {
    return this.#sql.get('SELECT * FROM transactions WHERE id = ?', id)
  }

  /** @throws WalletError not_found */
  require(id: string): StoredTransaction {
    const row = this.find(id)
    if (row === undefined) throw noTransaction(id)
    return row
  }

  findByIdentity(appId: string, key: string, now: number): StoredTransaction | undefined {
    return this.#sql.get(
      'SELECT * FROM transactions WHERE app_id = ? AND dedupe_key = ? AND dedupe_until > ?',
      appId,
      key,
      now,
    )
  }

  /** Deletes the signed bytes of failed and replaced transactions that are no longer looked up. */
  forgetAttempts(caip2: string, signedBefore: number): void {
    this.#sql.run(
      `DELETE FROM attempts WHERE transaction_id IN (SELECT id FROM transactions WHERE caip2 = ? AND signed_at <= ?
         AND is_open = 0 AND status IN ('replaced', 'failed', 'provider_error'))`,
      caip2,
      signedBefore,
    )
  }

  /** Deletes expired request identities. */
  dropExpiredIdentities(now: number): void {
    this.#sql.run(
      'UPDATE transactions SET dedupe_key = NULL WHERE dedupe_key IS NOT NULL AND dedupe_until <= ?',
      now,
    )
  }

  dropIdentityOf(id: string): void {
    this.#sql.run('UPDATE transactions SET dedupe_key = NULL WHERE id = ?', id)
  }

  list(
    appId: string,
    walletId: string,
    before: readonly [number, string],
    hash: string | null,
    caip2: string | null,
    limit: number,
  ): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE app_id = ? AND wallet_id = ? AND (created_at, id) < (?, ?)
         AND (?5 IS NULL OR hash = ?5) AND (?6 IS NULL OR caip2 = ?6)
         ORDER BY created_at DESC, id DESC LIMIT ?`,
      appId,
      walletId,
      before[0],
      before[1],
      hash,
      caip2,
      limit,
    )
  }

  /** Returns the attempts in order. The last one is broadcast. */
  attempts(id: string): SignedAttempt[] {
    return this.#sql.all('SELECT * FROM attempts WHERE transaction_id = ? ORDER BY number', id)
  }

  /** Returns all attempts with a nonce that the chain may still include. */
  attemptsAt(caip2: string, address: Hex, nonce: number): SignedAttempt[] {
    return this.#sql.all(
      'SELECT * FROM attempts WHERE caip2 = ? AND address = ? AND nonce = ? ORDER BY number DESC',
      caip2,
      address,
      nonce,
    )
  }

  waitingAt(caip2: string, address: Hex, nonce: number): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE caip2 = ? AND address = ? AND nonce = ? AND is_open = 1 AND ${WAITING}`,
      caip2,
      address,
      nonce,
    )
  }

  /** Returns the waiting transactions of an account that have a nonce, lowest nonce first. */
  waiting(caip2: string, address: Hex, limit: number): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE caip2 = ? AND address = ? AND nonce IS NOT NULL AND is_open = 1 AND ${WAITING}
         ORDER BY nonce LIMIT ?`,
      caip2,
      address,
      limit,
    )
  }

  /** Returns the signed transactions that no node has accepted. */
  unaccepted(caip2: string, address: Hex): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE caip2 = ? AND address = ? AND nonce IS NOT NULL AND is_open = 1
         AND status = 'pending' ORDER BY nonce`,
      caip2,
      address,
    )
  }

  waitingNonces(caip2: string, address: Hex): number[] {
    const rows = this.#sql.all<{ nonce: number }>(
      `SELECT nonce FROM transactions WHERE caip2 = ? AND address = ? AND nonce IS NOT NULL AND is_open = 1
         AND ${WAITING}`,
      caip2,
      address,
    )
    return rows.map(({ nonce }) => nonce)
  }

  /** Returns the nonce after the highest one known to be executed. */
  executedUpTo(caip2: string, address: Hex): number {
    const row = this.#sql.get<{ next: number | null }>(
      `SELECT max(nonce) + 1 AS next FROM transactions WHERE caip2 = ? AND address = ?
         AND status IN ('confirmed', 'finalized', 'execution_reverted')`,
      caip2,
      address,
    )
    return row?.next ?? 0
  }

  /** Returns the accounts that have waiting transactions. */
  waitingAddresses(caip2: string): Hex[] {
    const rows = this.#sql.all<{ address: Hex }>(
      `SELECT DISTINCT address FROM transactions WHERE caip2 = ? AND nonce IS NOT NULL AND is_open = 1 AND ${WAITING}`,
      caip2,
    )
    return rows.map(({ address }) => address)
  }

  /** True while the chain has transactions that can still change status. */
  hasOpen(caip2: string): boolean {
    return (
      this.#sql.get('SELECT 1 FROM transactions WHERE caip2 = ? AND is_open = 1 LIMIT 1', caip2) !==
      undefined
    )
  }

  /** Returns open transactions in blocks up to a height. */
  executed(caip2: string, upTo: number, limit: number): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE caip2 = ? AND is_open = 1 AND block_number <= ? ORDER BY block_number LIMIT ?`,
      caip2,
      upTo,
      limit,
    )
  }

  /** Returns open and final transactions in blocks up to a height, latest first. */
  inBlocks(caip2: string, upTo: number, limit: number): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE caip2 = ? AND block_number <= ?
         AND status IN ('confirmed', 'finalized', 'execution_reverted') ORDER BY block_number DESC LIMIT ?`,
      caip2,
      upTo,
      limit,
    )
  }

  /** Returns transactions that have waited since then without a `still_pending` event. */
  overdue(caip2: string, signedBefore: number): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE caip2 = ? AND is_open = 1 AND ${WAITING} AND was_told = 0 AND signed_at <= ?
         ORDER BY signed_at LIMIT 500`,
      caip2,
      signedBefore,
    )
  }

  /** Returns the transactions without stored signed bytes: nothing of them was sent. */
  unsigned(): StoredTransaction[] {
    return this.#sql.all(`SELECT * FROM transactions WHERE nonce IS NULL AND is_open = 1`)
  }

  /**
   * Returns transactions that were signed and then given up. A block may still include them, if the node was wrong
   * about their nonce or rejection.
   */
  doubtful(caip2: string, signedAfter: number, limit: number): StoredTransaction[] {
    return this.#sql.all(
      `SELECT * FROM transactions WHERE caip2 = ? AND signed_at > ? AND is_open = 0 AND hash IS NOT NULL
         AND status IN ('replaced', 'failed', 'provider_error') ORDER BY signed_at DESC LIMIT ?`,
      caip2,
      signedAfter,
      limit,
    )
  }

  setStillPendingSent(id: string): void {
    this.#sql.run('UPDATE transactions SET was_told = 1 WHERE id = ?', id)
  }

  setMissed(id: string, missed: number): void {
    this.#sql.run('UPDATE transactions SET missed = ? WHERE id = ?', missed, id)
  }

  setBroadcasted(id: string): void {
    this.#sql.run(
      `UPDATE transactions SET status = 'broadcasted', is_open = 1, block_number = NULL, block_hash = NULL, missed = 0
         WHERE id = ?`,
      id,
    )
  }

  setExecuted(
    id: string,
    attempt: Hex,
    status: TransactionStatus,
    block: { readonly number: number; readonly hash: string },
  ): void {
    this.#sql.run(
      `UPDATE transactions SET status = ?, hash = ?, block_number = ?, block_hash = ?, is_open = 1, problem = NULL
         WHERE id = ?`,
      status,
      attempt,
      block.number,
      block.hash,
      id,
    )
  }

  /** Marks a transaction final and deletes its signed bytes. */
  setFinal(id: string, status: TransactionStatus): void {
    this.#sql.run(
      'UPDATE transactions SET status = ?, is_open = 0, request = NULL WHERE id = ?',
      status,
      id,
    )
    this.#sql.run('DELETE FROM attempts WHERE transaction_id = ?', id)
  }

  /** Marks a transaction as ended. Its signed bytes stay: the node may have been wrong. */
  setEnded(id: string, status: TransactionStatus, problem: string): void {
    this.#sql.run(
      'UPDATE transactions SET status = ?, problem = ?, is_open = 0, request = NULL WHERE id = ?',
      status,
      storableText(problem),
      id,
    )
  }
}

export function noTransaction(id: string): WalletError {
  return new WalletError('not_found', `there is no transaction ${id}`)
}
