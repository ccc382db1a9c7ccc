import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** An answer is asked for again within seconds; a day is what idempotency keys last. */
const ANSWERS_KEPT_MS = 24 * 3_600_000

/** Longer than a request may live, against a clock that is set back. */
const USED_KEPT_MS = 3_600_000

/** What was done for requests, so that none does two things. */
export class RequestLog {
  readonly #findAnswer: StatementSync
  readonly #addAnswer: StatementSync
  readonly #findUsed: StatementSync
  readonly #addUsed: StatementSync
  readonly #dropAnswers: StatementSync
  readonly #dropUsed: StatementSync

  constructor(database: DatabaseSync) {
    this.#findAnswer = database.prepare(
      'SELECT request, answer FROM answered WHERE app_id = ? AND request_id = ?',
    )
    this.#addAnswer = database.prepare('INSERT INTO answered VALUES (?, ?, ?, ?, ?)')
    this.#findUsed = database.prepare('SELECT action, answer FROM used_requests WHERE payload = ?')
    this.#addUsed = database.prepare('INSERT OR IGNORE INTO used_requests VALUES (?, ?, ?, ?)')
    this.#dropAnswers = database.prepare('DELETE FROM answered WHERE answered_at < ?')
    this.#dropUsed = database.prepare('DELETE FROM used_requests WHERE expires_at < ?')
  }

  /** What the API was answered when it asked by this name; `request` is the hash of what it asked then. */
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
    this.#addAnswer.run(appId, requestId, request, now, JSON.stringify(answer))
  }

  /** What a signed request has done, by the hash of its payload. */
  used(payload: Uint8Array): { readonly action: string; readonly answer: unknown } | undefined {
    const row = this.#findUsed.get(payload)
    if (row === undefined) return undefined
    const answer = row.answer === null ? undefined : JSON.parse(row.answer as string)
    return { action: row.action as string, answer }
  }

  addUsed(payload: Uint8Array, expiry: number, action: string, answer?: unknown): void {
    const text = answer === undefined ? null : JSON.stringify(answer)
    this.#addUsed.run(payload, expiry, action, text)
  }

  dropOld(now: number): void {
    this.#dropAnswers.run(now - ANSWERS_KEPT_MS)
    this.#dropUsed.run(now - USED_KEPT_MS)
  }
}
