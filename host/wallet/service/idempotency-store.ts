import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { ApiAnswer } from './api-answer.ts'

/** How long an answer is kept. */
const KEPT_MS = 24 * 3_600_000

/** How often what is older is removed. */
const SWEEP_MS = 600_000

/** A request that its sender has named. */
export interface NamedRequest {
  /** The app or the agent: their keys are their own. */
  readonly caller: string
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: string
  readonly signatures: readonly string[]
}

interface Running {
  /** Of the request, and behind it of its signatures. */
  readonly hash: Buffer
  readonly answer: Promise<ApiAnswer>
}

/**
 * Answers by idempotency key. A request whose key was used for the same one gets the answer of then; while that one is
 * still worked on, it waits for it. What was refused for want of authority, and what the service failed at, may be
 * asked again.
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
   * @param run gets a name of the request that is the same when it is run again after a crash
   * @param authorize verifies who has agreed; called before an answer of earlier is given, unless the signatures are
   *   those of then: what was done may have made another the owner
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
    // The row of one that has just begun is written with others, a moment later.
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
    // Begun and never answered: the process ended meanwhile. The same name lets the signer answer as it did then.
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

/** Of the whole request: the same key for another one is a mistake of the caller. */
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
