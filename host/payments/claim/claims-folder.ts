import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { delay } from '../../base/timer.ts'
import { type FileLock, tryLockFile } from '../../storage/store/sqlite/file-lock.ts'
import { storeError } from '../../storage/table/store-error.ts'
import { OWNER_BYTES } from './claim-codec.ts'
import { claimFailure } from './claim-failure.ts'
import type { ClaimOwners } from './claim-store.ts'
import { draftOf, readDeliveries } from './delivery-log.ts'

/** Who opens a folder checks all of it, at a microsecond a claim. */
const LONGEST_OPENING_MS = 60_000
const BETWEEN_TRIES_MS = 10

const OWNER = /^[0-9a-f]{16}\.lock$/

/** The folder's database. */
export function databaseOf(folder: string): string {
  return join(folder, 'claims.db')
}

/** Whether anybody has ever opened the claims of a folder. */
export function hasClaims(folder: string): boolean {
  return existsSync(join(databaseOf(folder), 'data.mdb'))
}

/** The folder of the files of owners, each named by its owner. */
export function ownersOf(folder: string): string {
  return join(folder, 'owners')
}

/** The log of what an owner has delivered. */
export function deliveriesOf(folder: string, owner: string): string {
  return join(ownersOf(folder), `${owner}.deliveries`)
}

/** The same of earlier releases, without checksums. */
function formerDeliveriesOf(folder: string, owner: string): string {
  return join(ownersOf(folder), `${owner}.delivered`)
}

const DELIVERIES = /^([0-9a-f]{16})\.deliver(?:ed|ies(?:\.new)?)$/

/** Owners that have left a log of deliveries and are gone. */
export function ownersWithDeliveries(folder: string): readonly string[] {
  const found = readdirSync(ownersOf(folder)).flatMap((name) => DELIVERIES.exec(name)?.[1] ?? [])
  return [...new Set(found)].filter((owner) => !isLocked(folder, owner))
}

/** Keys of what an owner who is gone has delivered. @throws STORE_CORRUPTED */
export function deliveriesLeft(folder: string, owner: string): readonly Uint8Array[] {
  return [
    ...readDeliveries(formerDeliveriesOf(folder, owner), true),
    ...readDeliveries(deliveriesOf(folder, owner)),
  ]
}

/** Removes what an owner who is gone has left, once the database has all of it. */
export function removeDeliveries(folder: string, owner: string): void {
  const log = deliveriesOf(folder, owner)
  for (const path of [formerDeliveriesOf(folder, owner), log, draftOf(log)]) {
    rmSync(path, { force: true })
  }
}

/** Whether an owner is there, by its file alone: of one that has just gone it may say yes. */
export function isLocked(folder: string, owner: string): boolean {
  return existsSync(join(ownersOf(folder), `${owner}.lock`))
}

/** Tells owners that are there from those that are gone: each has a file of its own locked while it lives. */
export class FolderOwners implements ClaimOwners {
  readonly own: string
  readonly #folder: string
  /** What they had delivered. Names are random, so who is gone stays gone. */
  readonly #gone = new Map<string, ReadonlyMap<string, Uint8Array>>()

  constructor(folder: string, own: string) {
    this.#folder = folder
    this.own = own
  }

  deliveriesOfGone(owner: string): ReadonlyMap<string, Uint8Array> | undefined {
    const known = this.#gone.get(owner)
    if (known !== undefined) return known
    if (!removeIfUnlocked(join(ownersOf(this.#folder), `${owner}.lock`))) return undefined
    const keys = deliveriesLeft(this.#folder, owner)
    const deliveries = new Map(keys.map((key) => [bytesKey(key), key]))
    this.#gone.set(owner, deliveries)
    return deliveries
  }
}

/** True where the file is gone: nobody had it locked, or it was not there. */
function removeIfUnlocked(path: string): boolean {
  if (!existsSync(path)) return true
  let lock: FileLock | undefined
  try {
    lock = tryLockFile(path)
  } catch (thrown) {
    // Another process has removed it meanwhile: SQLite misses the file that it has open.
    if (!existsSync(path)) return true
    throw thrown
  }
  if (lock === undefined) return false
  rmSync(path, { force: true })
  lock.release()
  return true
}

/** The right to use a folder's claims, until it is left or the process ends. */
export interface FolderEntry {
  readonly own: string
  /** Others have the database open: it was checked there. */
  readonly isShared: boolean
  leave(): void
}

/**
 * Enters a folder, which is made where it is missing, and runs `open` while nobody else may enter: who comes first
 * checks the database as a whole, which nobody may have open then.
 * @throws STORE_DENIED, STORE_FULL, SERVER_BUSY where somebody takes minutes over it
 */
export async function enterFolder<T>(
  folder: string,
  open: (entry: FolderEntry) => Promise<T>,
): Promise<{ readonly entry: FolderEntry; readonly opened: T }> {
  const dir = ownersOf(folder)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw claimFailure(folder, storeError(folder, thrown))
  }
  const opening = await lockOpening(join(folder, 'open.lock'))
  try {
    let isShared = false
    for (const name of readdirSync(dir)) {
      if (OWNER.test(name) && !removeIfUnlocked(join(dir, name))) isShared = true
    }
    const own = randomBytes(OWNER_BYTES).toString('hex')
    const path = join(dir, `${own}.lock`)
    const lock = tryLockFile(path)
    if (lock === undefined) throw new LockstepError('STORE_DENIED', `cannot lock ${path}`)
    const leave = () => {
      rmSync(path, { force: true })
      lock.release()
    }
    const entry = { own, isShared, leave }
    try {
      return { entry, opened: await open(entry) }
    } catch (thrown) {
      leave()
      throw claimFailure(folder, thrown)
    }
  } finally {
    opening.release()
  }
}

async function lockOpening(path: string): Promise<FileLock> {
  const until = performance.now() + LONGEST_OPENING_MS
  for (;;) {
    const lock = tryLockFile(path)
    if (lock !== undefined) return lock
    if (performance.now() > until) {
      throw new LockstepError(
        'SERVER_BUSY',
        `another process has been opening ${path} for a minute`,
      )
    }
    await delay(BETWEEN_TRIES_MS)
  }
}
