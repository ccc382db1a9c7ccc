import { LockstepError } from '../../base/error.ts'
import { postgresName } from '../../base/postgres-url.ts'
import type { PostgresSession } from '../../storage/store/postgres/postgres-session.ts'
import { challengeKey } from '../challenge/challenge-key.ts'
import { challengeRetention } from '../challenge/challenges.ts'
import { IssueLog } from '../challenge/issue-log.ts'
import type { StoredClaim } from '../claim/claim-rows.ts'
import type { ClaimStore } from '../claim/claim-store.ts'
import { enterFolder, hasClaims, markMoved, movedTo } from '../claim/claims-folder.ts'
import { openStore } from '../claim/open-store.ts'
import { openPaymentDatabase, PostgresClaimStore } from './postgres-claim-store.ts'

/** Claims of one transaction. */
const BATCH = 500

export interface MovedPayments {
  /** Claims that the database did not have. */
  readonly added: number
  /** Claims that it had from an earlier, interrupted move. */
  readonly known: number
  /**
   * False if the database has a key of its own: payments for open challenges of the folder are refused by the bindings
   * that check them.
   */
  readonly keepsChallenges: boolean
}

/** No process holds a claim while its folder moves: one that was held can be claimed again for the same request. */
function releasedClaim({ key, row, terms }: StoredClaim): StoredClaim {
  if (row.phase !== 'held') return { key, row, terms }
  return { key, row: { ...row, phase: 'released', owner: undefined }, terms }
}

function* batchesOf<T>(items: Iterable<T>): Generator<readonly T[], void> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function moveClaims(
  from: ClaimStore,
  to: PostgresClaimStore,
): Promise<Pick<MovedPayments, 'added' | 'known'>> {
  let [added, known] = [0, 0]
  for (const batch of batchesOf(from.stored())) {
    const claims = batch.map(releasedClaim)
    const needs = { keys: claims.map(({ key }) => key), sales: claims.map(({ terms }) => terms) }
    const written = await to.write(needs, (steps) =>
      claims.map((claim) => steps.restore(claim)).filter((isAdded) => isAdded),
    )
    added += written.length
    known += claims.length - written.length
  }
  for (const { chainId, asset } of from.sales()) {
    const unit = from.unit(chainId, asset)
    if (unit === undefined) continue
    await to.write({ keys: [] }, (steps) => steps.describe(chainId, asset, unit))
  }
  return { added, known }
}

async function moveChallenges(folder: string, session: PostgresSession): Promise<boolean> {
  const key = Buffer.from(challengeKey(folder))
  const [stored] = await session.transaction(async (query) => {
    await query(
      'insert into lockstep_payments.challenge_key (key) values ($1) on conflict (id) do nothing',
      [key],
    )
    return query('select key from lockstep_payments.challenge_key')
  })
  // Nothing is issued here, so nothing is forgotten
  const log = new IssueLog(folder, challengeRetention(0))
  try {
    for (const batch of batchesOf(log.seconds())) {
      await session.transaction((query) =>
        query(
          `insert into lockstep_payments.challenges (resource, second)
           select * from unnest($1::text[], $2::bigint[]) on conflict do nothing`,
          [batch.map(([resource]) => resource), batch.map(([, second]) => second)],
        ),
      )
    }
  } finally {
    log.close()
  }
  return key.equals(stored?.key as Uint8Array)
}

/**
 * Moves the payments of a folder into a database, which may have those of other folders already. No server may use
 * the folder. An interrupted move continues when it is run again. In the end the folder refuses to be opened: each of
 * its payments could be used a second time there.
 * @throws NOT_FOUND, SERVER_BUSY, CONFIG_INVALID, REFUSED_ARGUMENT, STORE_UNREACHABLE, STORE_DENIED, STORE_FULL
 */
export async function movePayments(folder: string, url: string): Promise<MovedPayments> {
  const target = movedTo(folder)
  if (target !== undefined) {
    throw new LockstepError('NOT_FOUND', `the payments of ${folder} were moved to ${target}`, {
      hint: 'nothing is left to move',
    })
  }
  if (!hasClaims(folder)) {
    throw new LockstepError('NOT_FOUND', `${folder} has no payments`, {
      hint: 'nothing has to be moved: a gate with a store in a database may use the folder as it is',
    })
  }
  const session = await openPaymentDatabase(url)
  try {
    // Servers that open the folder meanwhile wait
    const { entry, opened } = await enterFolder(folder, async (entered) => {
      if (entered.isShared) {
        throw new LockstepError('SERVER_BUSY', `another process uses ${folder}`, {
          hint: 'stop the server, and the commands that read its payments',
        })
      }
      const store = await openStore(folder, entered)
      try {
        const moved = await moveClaims(store, new PostgresClaimStore(session))
        const keepsChallenges = await moveChallenges(folder, session)
        markMoved(folder, postgresName(url) as string)
        return { ...moved, keepsChallenges }
      } finally {
        await store.close()
      }
    })
    entry.leave()
    return opened
  } finally {
    await session.close()
  }
}
