import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { LockstepError } from '../../base/error.ts'
import { nameProblem } from '../../base/plain-name.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'

/** An app as commands show it. Times are milliseconds since 1970. */
export interface App {
  readonly id: string
  readonly name: string | null
  readonly createdAt: number
  readonly rotatedAt: number | null
}

/** A new app and its secret. The secret is shown once; the store has its hash. */
export interface NewApp {
  readonly appId: string
  readonly appSecret: string
}

/** 256 random bits cannot be guessed, so a plain hash is as safe as a slow one. */
const SECRET_BYTES = 32
const ID_BYTES = 12

const NO_HASH = new Uint8Array(32)

function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest()
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** The apps of a service. Changes by other processes apply from the next request on. */
export class AppStore {
  readonly #sql: Statements
  readonly #now: () => number
  #hashes: ReadonlyMap<string, Uint8Array> = new Map()
  /** SQLite's data version. Undefined before the first read. */
  #version: unknown

  constructor(database: DatabaseSync, now: () => number = Date.now) {
    this.#sql = new Statements(database)
    this.#now = now
  }

  /** @throws INVALID_ARGUMENT if the name has invisible characters */
  create(name: string | null): NewApp {
    const problem = name === null ? undefined : nameProblem(name)
    if (problem !== undefined) throw new LockstepError('INVALID_ARGUMENT', `name: ${problem}`)
    const appId = randomBytes(ID_BYTES).toString('hex')
    const appSecret = newSecret()
    this.#sql.run(
      'INSERT INTO apps (id, name, secret_hash, created_at) VALUES (?, ?, ?, ?)',
      appId,
      name,
      hashOf(appSecret),
      this.#now(),
    )
    this.#version = undefined
    return { appId, appSecret }
  }

  /** Returns the apps, oldest first. */
  list(): readonly App[] {
    const rows = this.#sql.all<Record<string, unknown>>(
      'SELECT id, name, created_at, rotated_at FROM apps ORDER BY created_at, id',
    )
    return rows.map(({ id, name, created_at, rotated_at }) => ({
      id: id as string,
      name: name as string | null,
      createdAt: created_at as number,
      rotatedAt: rotated_at as number | null,
    }))
  }

  /** Replaces the secret. The old one is invalid at once. @throws NOT_FOUND */
  rotate(appId: string): NewApp {
    const appSecret = newSecret()
    const changes = this.#sql.run(
      'UPDATE apps SET secret_hash = ?, rotated_at = ? WHERE id = ?',
      hashOf(appSecret),
      this.#now(),
      appId,
    )
    if (changes === 0) throw unknown(appId)
    this.#version = undefined
    return { appId, appSecret }
  }

  /** Deletes an app. Its wallets stay in the signer, but cannot be used. @throws NOT_FOUND */
  delete(appId: string): void {
    const changes = this.#sql.run('DELETE FROM apps WHERE id = ?', appId)
    if (changes === 0) throw unknown(appId)
    this.#version = undefined
  }

  /** True if the secret belongs to the app. Takes as long for an unknown app. */
  accepts(appId: string, secret: string): boolean {
    this.#refresh()
    const wanted = this.#hashes.get(appId)
    const same = timingSafeEqual(hashOf(secret), wanted ?? NO_HASH)
    return same && wanted !== undefined
  }

  has(appId: string): boolean {
    this.#refresh()
    return this.#hashes.has(appId)
  }

  #refresh(): void {
    const row = this.#sql.get<{ data_version: unknown }>('PRAGMA data_version')
    if (row?.data_version === this.#version) return
    const rows = this.#sql.all<Record<string, unknown>>('SELECT id, secret_hash FROM apps')
    this.#hashes = new Map(
      rows.map(({ id, secret_hash }) => [id as string, secret_hash as Uint8Array]),
    )
    this.#version = row?.data_version
  }
}

function unknown(appId: string): LockstepError {
  return new LockstepError('NOT_FOUND', `there is no app ${appId}`, {
    hint: 'lockstep wallet app list shows the apps',
  })
}
