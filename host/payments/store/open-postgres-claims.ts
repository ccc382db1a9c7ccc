import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import type { PostgresSession } from '../../storage/store/postgres/postgres-session.ts'
import { applyClaimWork } from '../claim/apply-claim-work.ts'
import { encodeKey, OWNER_BYTES } from '../claim/claim-codec.ts'
import type { ClaimWork } from '../claim/claim-messages.ts'
import { ClaimQueue } from '../claim/claim-queue.ts'
import type { Claims } from '../claim/claims.ts'
import {
  deliveriesOf,
  enterFolder,
  exitedDeliveries,
  FolderOwners,
  hasClaims,
  isLocked,
  movedTo,
  ownersWithDeliveries,
  removeDeliveries,
} from '../claim/claims-folder.ts'
import { DeliveryLog } from '../claim/delivery-log.ts'
import type { ClaimNeeds } from './postgres-claim-rows.ts'
import { openPaymentDatabase, PostgresClaimStore } from './postgres-claim-store.ts'
import { BEAT_MS, type LocalOwners, PostgresOwners, removeOwner } from './postgres-owners.ts'

/** How long after a failure the ends of claims are written again, ms. */
const RETRY_MS = 250

export interface PostgresClaimsOptions {
  /**
   * Folder for the log of deliveries, which survives a killed process. Without it a response may be served twice if its
   * process is killed before the database has recorded the delivery.
   */
  readonly folder?: string
  /** Time between beats, ms. */
  readonly beatMs?: number
  /** Receives errors of the beats: claims may be taken over if they last. */
  readonly onFailure?: (error: unknown) => void
}

/** The owner of a process without a folder, or with one. */
interface OwnEntry {
  readonly own: string
  leave(): void
}

class FolderNeighbours extends FolderOwners implements LocalOwners {
  readonly #folder: string

  constructor(folder: string, own: string) {
    super(folder, own)
    this.#folder = folder
  }

  knows(owner: string): boolean {
    return isLocked(this.#folder, owner) || existsSync(deliveriesOf(this.#folder, owner))
  }
}

function needsOf(works: readonly ClaimWork[]): ClaimNeeds {
  const keys = works.flatMap((work) => ('key' in work ? [encodeKey(work.key)] : []))
  const sales = works.flatMap((work) => {
    if (work.kind !== 'claim') return []
    const { resource, asset, payTo } = work.facts
    return [{ resource, chainId: work.key.chainId, asset, payTo }]
  })
  const removals = works.flatMap((work) => (work.kind === 'removed' ? [work] : []))
  const removed = removals.flatMap(({ chainId, txHashes }) =>
    txHashes.map((id) => encodeKey({ chainId, kind: 'transfer', id })),
  )
  return {
    keys: [...keys, ...removed],
    sales,
    settledBy: removals.flatMap(({ txHashes }) => txHashes),
  }
}

/** Records what exited processes have delivered, and removes them from the owners. */
async function recordExited(
  session: PostgresSession,
  store: PostgresClaimStore,
  folder: string,
): Promise<void> {
  for (const owner of ownersWithDeliveries(folder)) {
    const keys = exitedDeliveries(folder, owner)
    if (keys.length > 0) {
      await store.write({ keys }, (steps) => steps.deliverExited(owner, keys, Date.now()))
    }
    await session.transaction((query) => removeOwner(query, owner))
    removeDeliveries(folder, owner)
  }
}

async function openQueue(
  url: string,
  { own, leave }: OwnEntry,
  { folder, beatMs = BEAT_MS, onFailure = () => {} }: PostgresClaimsOptions,
): Promise<Claims> {
  const session = await openPaymentDatabase(url)
  const local = folder === undefined ? undefined : new FolderNeighbours(folder, own)
  const owners = new PostgresOwners(session, own, local, beatMs, onFailure)
  const store = new PostgresClaimStore(session, owners)
  let deliveries: DeliveryLog | undefined
  try {
    if (folder !== undefined) {
      await recordExited(session, store, folder)
      deliveries = new DeliveryLog(deliveriesOf(folder, own))
    }
    await owners.open()
  } catch (thrown) {
    deliveries?.remove()
    await session.close()
    throw thrown
  }
  return new ClaimQueue({
    writer: {
      write: async (works) => {
        await owners.renew()
        return store.write(needsOf(works), (steps) =>
          works.map((work) => applyClaimWork(steps, work)),
        )
      },
      close: async () => {
        await owners.close()
        await session.close()
      },
    },
    ...(deliveries !== undefined && { deliveries }),
    retryMs: RETRY_MS,
    lapses: () => owners.lapses,
    leave,
  })
}

/**
 * Opens the claims of a PostgreSQL database, whose tables are created if missing. All processes that open it accept
 * each payment once among them.
 * @throws UNSUPPORTED, CONFIG_INVALID, STORE_UNREACHABLE, STORE_DENIED, STORE_FULL, STORE_CORRUPTED
 */
export async function openPostgresClaims(
  url: string,
  options: PostgresClaimsOptions = {},
): Promise<Claims> {
  const { folder } = options
  if (folder === undefined) {
    const own = randomBytes(OWNER_BYTES).toString('hex')
    return openQueue(url, { own, leave: () => {} }, options)
  }
  expectMoved(folder)
  let failure: unknown
  try {
    const { opened } = await enterFolder(folder, async (entry) => {
      try {
        return await openQueue(url, entry, options)
      } catch (thrown) {
        failure = thrown
        throw thrown
      }
    })
    return opened
  } catch (thrown) {
    // Without the remedies for errors of a folder
    throw failure ?? thrown
  }
}

/** Refuses a folder with claims that the database does not have: their payments could be used again. */
function expectMoved(folder: string): void {
  if (!hasClaims(folder) || movedTo(folder) !== undefined) return
  throw new LockstepError('CONFIG_INVALID', `${folder} has claims of its own`, {
    hint: 'move them into the database first, with `lockstep payments move`; or use a new folder',
  })
}
