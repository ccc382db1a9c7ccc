import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { LockstepError } from '../../base/error.ts'
import { nameProblem } from '../../base/plain-name.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'

/** Who uses the API, as commands show it. Times are milliseconds since 1970. */
export interface App {
  readonly id: string
  readonly name: string | null
  readonly createdAt: number
  readonly rotatedAt: number | null
}

/** An app with its secret, which is shown once and kept as a hash. */
export interface NewApp {
  readonly appId: string
  readonly appSecret: string
}

/** 256 bits, which nobody guesses: a plain hash of them tells as little as a slow one. */
const SECRET_BYTES = 32
const ID_BYTES = 12

const NO_HASH = new Uint8Array(32)

function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest()
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** The apps of a service. Other processes may change them at any time: what they write counts with the next request. */
export class AppStore {
  readonly #sql: Statements
  readonly #now: () => number
  #hashes: ReadonlyMap<string, Uint8Array> = new Map()
  /** SQLite's number of what others have written; undefined before the first look. */
  #version: unknown

  constructor(database: DatabaseSync, now: () => number = Date.now) {
    this.#sql = new Statements(database)
    this.#now = now
  }

  /** @throws INVALID_ARGUMENT if the name has characters that nobody sees */
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

  /** The oldest first. */
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

  /** The secret before is worth nothing from then on. @throws NOT_FOUND */
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

  /** Its wallets stay with the signer, and nobody can use them. @throws NOT_FOUND */
  delete(appId: string): void {
    const changes = this.#sql.run('DELETE FROM apps WHERE id = ?', appId)
    if (changes === 0) throw unknown(appId)
    this.#version = undefined
  }

  /** True where the secret is that of the app; takes as long for an app that is none. */
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
    hint: 'lockstep wallet app list names those there are',
  })
}
