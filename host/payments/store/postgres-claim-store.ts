import { randomInt } from 'node:crypto'
import { LockstepError } from '../../base/error.ts'
import { migrateSchema } from '../../storage/store/postgres/migrate-schema.ts'
import { PostgresSession } from '../../storage/store/postgres/postgres-session.ts'
import type { ClaimOwners } from '../claim/claim-rows.ts'
import { ClaimSteps } from '../claim/claim-steps.ts'
import { PAYMENT_MIGRATIONS, PAYMENT_SCHEMA } from './payment-schema.ts'
import { type ClaimNeeds, PostgresClaimRows, SALE_PARTS } from './postgres-claim-rows.ts'
import type { PostgresOwners } from './postgres-owners.ts'

/** An owner that takes over no claims of others. */
export const NO_OWNER: ClaimOwners = { own: '00'.repeat(8), deliveriesOfExited: () => undefined }

/**
 * Connects to the payments of a database, whose tables are created if missing.
 * @throws STORE_UNREACHABLE, STORE_DENIED, CONFIG_INVALID
 */
export async function openPaymentDatabase(url: string): Promise<PostgresSession> {
  const session = await PostgresSession.of(url)
  try {
    await migrateSchema(session, PAYMENT_SCHEMA, PAYMENT_MIGRATIONS)
    await expectNotMoved(session)
    return session
  } catch (thrown) {
    await session.close()
    throw thrown
  }
}

async function expectNotMoved(session: PostgresSession): Promise<void> {
  const [moved] = await session.transaction((query) =>
    query('select target from lockstep_payments.moved'),
  )
  if (moved === undefined) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `the payments of ${session.name} were moved to ${moved.target}`,
    {
      hint: 'set store in [payments] to where they are now: here each of them could be used again',
    },
  )
}

/** Stores claims in a database that many processes share. */
export class PostgresClaimStore {
  readonly #session: PostgresSession
  readonly #owners: PostgresOwners | undefined
  readonly #working = new Set<string>()
  readonly #part = randomInt(SALE_PARTS)

  /** @param owners absent if this process takes over no claims */
  constructor(session: PostgresSession, owners?: PostgresOwners) {
    this.#session = session
    this.#owners = owners
  }

  /**
   * Runs `work` as one transaction: it is on disk when this resolves, and rolled back if it rejects. `work` may run
   * several times.
   * @throws STORE_UNREACHABLE, STORE_DENIED, STORE_FULL, STORE_CORRUPTED, SERVER_BUSY
   */
  async write<T>(needs: ClaimNeeds, work: (steps: ClaimSteps) => T): Promise<T> {
    let steps: ClaimSteps | undefined
    try {
      return await this.#session.transaction(async (query) => {
        steps?.undo()
        const rows = await PostgresClaimRows.load(query, needs)
        await this.#owners?.look(query, rows.owners())
        steps = new ClaimSteps(rows, this.#owners ?? NO_OWNER, this.#working)
        const result = work(steps)
        await rows.write(query, this.#part)
        return result
      })
    } catch (thrown) {
      steps?.undo()
      throw thrown
    }
  }
}
