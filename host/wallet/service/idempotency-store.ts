import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { ApiAnswer } from './api-answer.ts'

/** How long an answer is kept. */
const KEPT_MS = 24 * 3_600_000

/** Interval at which old answers are deleted. */
const SWEEP_MS = 600_000

/** A request with an idempotency key. */
export interface NamedRequest {
  /** The app or agent. Each has its own keys. */
  readonly caller: string
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: string
  readonly signatures: readonly string[]
}

interface Running {
  /** Hash of the request, followed by the hash of its signatures. */
  readonly hash: Buffer
  readonly answer: Promise<ApiAnswer>
}

/**
 * Answers by idempotency key. A repeated request gets the stored answer, or waits for the one in progress. Answers
 * with 401 or 5xx are not stored: the request may be repeated.
 */
export class IdempotencyStore {
  readonly #commits: GroupCommit
  readonly #now: () => number
  readonly #find: StatementSync
  readonly #sql: Statements
  readonly #running = new Map<string, Running>()
  #sweptAt = 0

  constructor(database: DatabaseSync, commits: GroupCommit, now: () => number = Date.now) {
    this.#commits = commits
    this.#now = now
    this.#find = database.prepare(
      'SELECT request, begun_at, status, answer FROM idempotency WHERE app_id = ? AND key = ?',
    )
    this.#sql = new Statements(database)
  }

  /**
   * Runs a request, or returns the answer of an earlier run.
   * @param run gets a request id that is the same if it runs again after a crash
   * @param authorize verifies authorization; called before an earlier answer is returned, unless the signatures are
   *   those of the earlier request: the first run may have changed the owner
   * @throws WalletError idempotency_mismatch, and what `authorize` throws
   */
  async once(
    request: NamedRequest,
    run: (requestId: string) => Promise<ApiAnswer>,
    authorize: () => Promise<void>,
  ): Promise<ApiAnswer> {
    const { caller, key } = request
    const hash = hashOf(request)
    const whole = Buffer.concat([hash, hashOfSignatures(request)])
    const now = this.#now()
    this.#sweepOld(now)
    const row = this.#find.get(caller, key)
    const known = row !== undefined && (row.begun_at as number) > now - KEPT_MS ? row : undefined
    const place = JSON.stringify([caller, key])
    const running = this.#running.get(place)
    // The row of a running request may not be written yet.
    const named = running?.hash ?? (known?.request as Uint8Array | undefined)
    if (named !== undefined && !hash.equals(named.subarray(0, hash.length))) {
      throw new WalletError('idempotency_mismatch')
    }
    const isKept = running !== undefined || typeof known?.status === 'number'
    if (isKept && !whole.equals(named as Uint8Array)) await authorize()
    if (running !== undefined) return running.answer
    if (typeof known?.status === 'number') {
      return { status: known.status, body: known.answer as string }
    }
    // Begun but not answered: the process ended. With the same request id, the signer returns its earlier answer.
    const begunAt = known === undefined ? now : (known.begun_at as number)
    const begin = () => {
      if (known !== undefined) return
      this.#sql.run(
        'INSERT OR REPLACE INTO idempotency (app_id, key, request, begun_at) VALUES (?, ?, ?, ?)',
        caller,
        key,
        whole,
        now,
      )
    }
    const answer = this.#run(request, begin, () => run(nameOf(hash, begunAt)))
    this.#running.set(place, { hash: whole, answer })
    try {
      return await answer
    } finally {
      this.#running.delete(place)
    }
  }

  async #run(
    { caller, key }: NamedRequest,
    begin: () => void,
    run: () => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> {
    await this.#commits.run(begin)
    const answer = await run()
    const { status, body } = answer
    const isFinal = status < 500 && status !== 401
    if (isFinal) {
      await this.#commits.run(() =>
        this.#sql.run(
          'UPDATE idempotency SET status = ?, answer = ? WHERE app_id = ? AND key = ?',
          status,
          body,
          caller,
          key,
        ),
      )
    }
    return answer
  }

  #sweepOld(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = now
    this.#sql.run('DELETE FROM idempotency WHERE begun_at <= ?', now - KEPT_MS)
  }
}

/** Hashes the whole request, to detect a key that is reused for another one. */
function hashOf({ caller, key, method, path, body }: NamedRequest): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([caller, key, method, path, body]), 'utf8')
    .digest()
}

function hashOfSignatures({ signatures }: NamedRequest): Buffer {
  return createHash('sha256').update(JSON.stringify(signatures), 'utf8').digest()
}

function nameOf(hash: Uint8Array, begunAt: number): string {
  return createHash('sha256').update(hash).update(String(begunAt)).digest('hex')
}
