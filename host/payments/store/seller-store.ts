import { LockstepError } from '../../base/error.ts'
import { type Challenges, openChallenges } from '../challenge/challenges.ts'
import type { Claims } from '../claim/claims.ts'
import { hasClaims } from '../claim/claims-folder.ts'
import { type Ledger, openLedger } from '../claim/ledger.ts'
import { openClaims } from '../claim/open-claims.ts'
import { openPostgresClaims } from './open-postgres-claims.ts'
import { openPostgresChallenges } from './postgres-challenges.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

/** Where a seller's payments are: in a folder, or in a database with an optional folder beside it. */
export interface StorePlace {
  /** With a database, the folder has only the log of deliveries. */
  readonly folder?: string
  /** URL of a PostgreSQL database; empty or absent uses the folder. */
  readonly store?: string
}

/** What a gate stores. */
export interface SellerStore {
  readonly claims: Claims
  readonly challenges: Challenges
  close(): Promise<void>
}

/** Returns the URL of the database; undefined if the folder is used. */
function databaseOf({ store }: StorePlace): string | undefined {
  return store === '' ? undefined : store
}

/** @throws CONFIG_INVALID if there is none */
function requireFolder({ folder }: StorePlace): string {
  if (folder !== undefined) return folder
  throw new LockstepError('CONFIG_INVALID', 'payments: folder and store are missing', {
    hint: 'name a folder for the claims, or the URL of a PostgreSQL database as store',
  })
}

/**
 * Opens what a gate stores.
 * @param keptSeconds how long after its challenge a payment may be shown
 * @throws CONFIG_INVALID, UNSUPPORTED, STORE_UNREACHABLE, STORE_DENIED, STORE_FULL, STORE_CORRUPTED, SERVER_BUSY
 */
export async function openSellerStore(
  place: StorePlace,
  keptSeconds: number,
  onFailure: (error: unknown) => void,
): Promise<SellerStore> {
  const url = databaseOf(place)
  const { folder } = place
  const claims =
    url === undefined
      ? await openClaims(requireFolder(place))
      : await openPostgresClaims(url, { onFailure, ...(folder !== undefined && { folder }) })
  try {
    const challenges =
      url === undefined
        ? openChallenges(requireFolder(place), keptSeconds)
        : await openPostgresChallenges(url, keptSeconds)
    const close = async () => {
      await challenges.close()
      await claims.close()
    }
    return { claims, challenges, close }
  } catch (thrown) {
    await claims.close()
    throw thrown
  }
}

/** Returns whether a ledger exists: that of a database always does. */
export function hasLedger(place: StorePlace): boolean {
  return databaseOf(place) !== undefined || hasClaims(requireFolder(place))
}

/** Opens the ledger. Servers may have the store open. @throws as `openSellerStore` */
export function openSellerLedger(place: StorePlace): Promise<Ledger> {
  const url = databaseOf(place)
  return url === undefined ? openLedger(requireFolder(place)) : openPostgresLedger(url)
}
