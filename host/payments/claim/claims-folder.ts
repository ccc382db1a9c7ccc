import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { delay } from '../../base/timer.ts'
import { type FileLock, tryLockFile } from '../../storage/store/sqlite/file-lock.ts'
import { storeError } from '../../storage/table/store-error.ts'
import { OWNER_BYTES } from './claim-codec.ts'
import { claimFailure } from './claim-failure.ts'
import type { ClaimOwners } from './claim-rows.ts'
import { draftOf, readDeliveries } from './delivery-log.ts'

/** Opening checks the whole database, at about a microsecond per claim. */
const LONGEST_OPENING_MS = 60_000
const BETWEEN_TRIES_MS = 10

const OWNER = /^[0-9a-f]{16}\.lock$/

/** Returns the folder's database path. */
export function databaseOf(folder: string): string {
  return join(folder, 'claims.db')
}

/** Returns whether the claims of a folder were ever opened. */
export function hasClaims(folder: string): boolean {
  return existsSync(join(databaseOf(folder), 'data.mdb'))
}

function moveMarkOf(folder: string): string {
  return join(folder, 'moved-to')
}

/** Returns where the claims of a folder were moved; undefined if they are here. */
export function movedTo(folder: string): string | undefined {
  const mark = moveMarkOf(folder)
  return existsSync(mark) ? readFileSync(mark, 'utf8').trim() : undefined
}

/** Records, on disk, that the claims of a folder are elsewhere from now on. */
export function markMoved(folder: string, target: string): void {
  writeFileSync(moveMarkOf(folder), `${target}\n`, { mode: 0o600, flush: true })
}

/** Refuses a folder whose claims were moved. @throws CONFIG_INVALID */
export function expectHere(folder: string): void {
  const target = movedTo(folder)
  if (target === undefined) return
  throw new LockstepError('CONFIG_INVALID', `the payments of ${folder} were moved to ${target}`, {
    hint: 'set store to where they are now: here each of them could be used again',
  })
}

/** Returns the directory of owner files, each named by its owner. */
export function ownersOf(folder: string): string {
  return join(folder, 'owners')
}

/** Returns the path of an owner's delivery log. */
export function deliveriesOf(folder: string, owner: string): string {
  return join(ownersOf(folder), `${owner}.deliveries`)
}

/** Same as `deliveriesOf`, for earlier releases, without checksums. */
function formerDeliveriesOf(folder: string, owner: string): string {
  return join(ownersOf(folder), `${owner}.delivered`)
}

const DELIVERIES = /^([0-9a-f]{16})\.deliver(?:ed|ies(?:\.new)?)$/

/** Lists the owners whose delivery logs remain after they exited. */
export function ownersWithDeliveries(folder: string): readonly string[] {
  const found = readdirSync(ownersOf(folder)).flatMap((name) => DELIVERIES.exec(name)?.[1] ?? [])
  return [...new Set(found)].filter((owner) => !isLocked(folder, owner))
}

/** Returns claim keys that an exited owner delivered. @throws STORE_CORRUPTED */
export function exitedDeliveries(folder: string, owner: string): readonly Uint8Array[] {
  return [
    ...readDeliveries(formerDeliveriesOf(folder, owner), true),
    ...readDeliveries(deliveriesOf(folder, owner)),
  ]
}

/** Removes the logs of an exited owner, after the database has all of their entries. */
export function removeDeliveries(folder: string, owner: string): void {
  const log = deliveriesOf(folder, owner)
  for (const path of [formerDeliveriesOf(folder, owner), log, draftOf(log)]) {
    rmSync(path, { force: true })
  }
}

/** Returns whether an owner's lock file exists; this may be true for one that has just exited. */
export function isLocked(folder: string, owner: string): boolean {
  return existsSync(join(ownersOf(folder), `${owner}.lock`))
}

/** Tells live owners from exited ones: each keeps its own file locked while it lives. */
export class FolderOwners implements ClaimOwners {
  readonly own: string
  readonly #folder: string
  /** Deliveries of exited owners. Owner names are random, so an exited owner never returns. */
  readonly #gone = new Map<string, ReadonlyMap<string, Uint8Array>>()

  constructor(folder: string, own: string) {
    this.#folder = folder
    this.own = own
  }

  deliveriesOfExited(owner: string): ReadonlyMap<string, Uint8Array> | undefined {
    const known = this.#gone.get(owner)
    if (known !== undefined) return known
    if (!removeIfUnlocked(join(ownersOf(this.#folder), `${owner}.lock`))) return undefined
    const keys = exitedDeliveries(this.#folder, owner)
    const deliveries = new Map(keys.map((key) => [bytesKey(key), key]))
    this.#gone.set(owner, deliveries)
    return deliveries
  }
}

/** Removes a lock file that is not held. Returns true if the file is gone. */
function removeIfUnlocked(path: string): boolean {
  if (!existsSync(path)) return true
  let lock: FileLock | undefined
  try {
    lock = tryLockFile(path)
  } catch (thrown) {
    // Another process has removed it in the meantime, and SQLite misses the open file.
    if (!existsSync(path)) return true
    throw thrown
  }
  if (lock === undefined) return false
  rmSync(path, { force: true })
  lock.release()
  return true
}

/** Membership in a folder's owners, until left or until the process ends. */
export interface FolderEntry {
  readonly own: string
  /** True if others have the database open, and thus have checked it. */
  readonly isShared: boolean
  leave(): void
}

/**
 * Joins a folder, which is created if missing, and runs `open` under an exclusive lock. The first owner checks the
 * whole database while no other process has it open.
 * @throws STORE_DENIED, STORE_FULL, SERVER_BUSY if another process holds the lock for a minute
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
