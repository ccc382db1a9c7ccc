import { randomBytes } from 'node:crypto'
import type { PostgresSession } from '../../storage/store/postgres/postgres-session.ts'
import { type Challenges, challengeRetention } from '../challenge/challenges.ts'
import { makeReference, openReference } from '../challenge/reference.ts'
import { openPaymentDatabase } from './postgres-claim-store.ts'

const KEY_BYTES = 32
/** Time between removals of old rows, seconds. */
const REMOVAL_SECONDS = 3_600n

/** Returns the key of references, which all processes of the database share. */
async function sharedKey(session: PostgresSession): Promise<Uint8Array> {
  const [row] = await session.transaction(async (query) => {
    await query(
      'insert into lockstep_payments.challenge_key (key) values ($1) on conflict (id) do nothing',
      [randomBytes(KEY_BYTES)],
    )
    return query('select key from lockstep_payments.challenge_key')
  })
  return row?.key as Uint8Array
}

interface RecordedSecond {
  readonly second: bigint
  readonly written: Promise<void>
}

/** Challenges in a PostgreSQL database. */
class PostgresChallenges implements Challenges {
  readonly #session: PostgresSession
  readonly #key: Uint8Array
  readonly #kept: bigint
  /** The last second that was recorded, by resource. */
  readonly #recorded = new Map<string, RecordedSecond>()
  #nextRemoval = 0n

  constructor(session: PostgresSession, key: Uint8Array, kept: bigint) {
    this.#session = session
    this.#key = key
    this.#kept = kept
  }

  async issue(resource: string, now: bigint): Promise<string> {
    const reference = makeReference(this.#key, resource, now)
    await this.#record(resource, now)
    return reference
  }

  issuedAt(reference: string, resource: string): bigint | undefined {
    return openReference(this.#key, resource, reference)
  }

  async issuedWithin(resource: string, from: bigint, to: bigint): Promise<boolean> {
    const [row] = await this.#session.transaction((query) =>
      query(
        `select exists (select from lockstep_payments.challenges
           where resource = $1 and second between $2 and $3) as "isIssued"`,
        [resource, from, to],
      ),
    )
    return row?.isIssued === true
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  /** Writes one row a second and resource, for which all challenges of that second wait. */
  #record(resource: string, second: bigint): Promise<void> {
    const recorded = this.#recorded.get(resource)
    if (recorded?.second === second) return recorded.written
    const written = this.#write(resource, second)
    this.#recorded.set(resource, { second, written })
    written.catch(() => {
      // The next challenge tries again
      if (this.#recorded.get(resource)?.written === written) this.#recorded.delete(resource)
    })
    return written
  }

  async #write(resource: string, second: bigint): Promise<void> {
    const removes = second >= this.#nextRemoval
    await this.#session.transaction(async (query) => {
      await query(
        `insert into lockstep_payments.challenges (resource, second) values ($1, $2)
         on conflict do nothing`,
        [resource, second],
      )
      if (!removes) return
      await query('delete from lockstep_payments.challenges where second < $1', [
        second - this.#kept,
      ])
    })
    if (removes) this.#nextRemoval = second + REMOVAL_SECONDS
  }
}

/**
 * Opens the challenges of a database, whose tables are created if missing. All processes that open it recognize each
 * other's challenges.
 * @param keptSeconds how long after its challenge a payment may be shown
 * @throws as `openPostgresClaims`
 */
export async function openPostgresChallenges(
  url: string,
  keptSeconds: number,
): Promise<Challenges> {
  const session = await openPaymentDatabase(url)
  try {
    return new PostgresChallenges(
      session,
      await sharedKey(session),
      challengeRetention(keptSeconds),
    )
  } catch (thrown) {
    await session.close()
    throw thrown
  }
}
