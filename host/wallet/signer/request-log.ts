import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { jsonText } from '../../base/writable.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'

/** Answers are needed for seconds. A day is the lifetime of idempotency keys. */
const ANSWERS_KEPT_MS = 24 * 3_600_000

/** Margin beyond the expiry of a request, against a clock that is set back. */
const USED_KEPT_MS = 3_600_000

/** Pools drop a transaction that was not included within a week. */
const SENT_KEPT_MS = 7 * 24 * 3_600_000

/** A transaction that was signed in order to be sent. */
export interface LoggedTransaction {
  readonly walletId: string
  /** Wire format with a placeholder signature. */
  readonly encoded: Uint8Array
}

/** Records what requests have done, so that none is executed twice. */
export class RequestLog {
  readonly #sql: Statements
  readonly #findAnswer: StatementSync
  readonly #findUsed: StatementSync
  readonly #findSent: StatementSync
  readonly #findDropped: StatementSync

  constructor(database: DatabaseSync) {
    this.#sql = new Statements(database)
    this.#findAnswer = database.prepare(
      'SELECT request, answer FROM answered WHERE app_id = ? AND request_id = ?',
    )
    this.#findUsed = database.prepare('SELECT action, answer FROM used_requests WHERE payload = ?')
    this.#findSent = database.prepare(
      'SELECT wallet_id, encoded FROM sent WHERE app_id = ? AND request_id = ?',
    )
    this.#findDropped = database.prepare('SELECT expired_at FROM dropped_requests')
  }

  /** Returns the answer to an earlier request with this id, and the hash of that request. */
  answer(
    appId: string,
    requestId: string,
  ): { readonly request: Uint8Array; readonly answer: unknown } | undefined {
    const row = this.#findAnswer.get(appId, requestId)
    if (row === undefined) return undefined
    return { request: row.request as Uint8Array, answer: JSON.parse(row.answer as string) }
  }

  addAnswer(
    appId: string,
    requestId: string,
    request: Uint8Array,
    now: number,
    answer: unknown,
  ): void {
    this.#sql.run(
      'INSERT INTO answered VALUES (?, ?, ?, ?, ?)',
      appId,
      requestId,
      request,
      now,
      jsonText(answer, 'an answer'),
    )
  }

  /** Returns what a signed request has done, by the hash of its payload. */
  used(payload: Uint8Array): { readonly action: string; readonly answer: unknown } | undefined {
    const row = this.#findUsed.get(payload)
    if (row === undefined) return undefined
    const answer = row.answer === null ? undefined : JSON.parse(row.answer as string)
    return { action: row.action as string, answer }
  }

  /**
   * True if a request with this expiry may have been executed and dropped, which requires that the clock was set
   * back.
   * @param expiry milliseconds since 1970
   */
  isDropped(expiry: number): boolean {
    const row = this.#findDropped.get()
    return row !== undefined && expiry <= (row.expired_at as number)
  }

  addUsed(payload: Uint8Array, expiry: number, action: string, answer?: unknown): void {
    const text = answer === undefined ? null : jsonText(answer, 'an answer')
    this.#sql.run(
      'INSERT OR IGNORE INTO used_requests VALUES (?, ?, ?, ?)',
      payload,
      expiry,
      action,
      text,
    )
  }

  /** @param requestId of the request that it was first signed for */
  sent(appId: string, requestId: string): LoggedTransaction | undefined {
    const row = this.#findSent.get(appId, requestId)
    if (row === undefined) return undefined
    return { walletId: row.wallet_id as string, encoded: row.encoded as Uint8Array }
  }

  putSent(appId: string, requestId: string, sent: LoggedTransaction, now: number): void {
    this.#sql.run(
      `INSERT INTO sent VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
        SET wallet_id = excluded.wallet_id, encoded = excluded.encoded, signed_at = excluded.signed_at`,
      appId,
      requestId,
      sent.walletId,
      sent.encoded,
      now,
    )
  }

  dropOld(now: number): void {
    this.#sql.run('DELETE FROM answered WHERE answered_at < ?', now - ANSWERS_KEPT_MS)
    this.#sql.run('DELETE FROM sent WHERE signed_at < ?', now - SENT_KEPT_MS)
    this.#sql.run(
      `INSERT INTO dropped_requests SELECT 1, latest FROM
          (SELECT max(expires_at) AS latest FROM used_requests WHERE expires_at < ?) WHERE latest IS NOT NULL
        ON CONFLICT DO UPDATE SET expired_at = max(expired_at, excluded.expired_at)`,
      now - USED_KEPT_MS,
    )
    this.#sql.run('DELETE FROM used_requests WHERE expires_at < ?', now - USED_KEPT_MS)
  }
}
