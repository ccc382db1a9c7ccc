import { accessSync, constants, mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { runWhole } from '../../../base/process/stop-gate.ts'
import { storeError } from '../../table/store-error.ts'
import { checkEnvironment, TABLE_LIST } from './lmdb-check.ts'
import { MappedFiles } from './mapped-files.ts'
import { sealValue, unsealValue } from './row-checksum.ts'

/** The longest key LMDB takes with pages of 4096 bytes. */
export const MAX_KEY = 1978

const MIB = 1 << 20

const NOTHING = new Uint8Array(0)

export interface LmdbRow {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

export interface RowRange {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
}

/**
 * Rejects files that lmdb 3.5 could not open, which would end the process with SIGSEGV.
 * @throws STORE_CORRUPTED, errors of the file system
 */
function checkFiles(dir: string): void {
  for (const name of ['data.mdb', 'lock.mdb']) {
    const path = join(dir, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) continue
    if (!stat.isFile()) throw new LockstepError('STORE_CORRUPTED', `${path} is not a file`)
    accessSync(path, constants.R_OK | constants.W_OK)
  }
  accessSync(dir, constants.R_OK | constants.W_OK)
}

/**
 * Throws if `dir` has less than `bytes` of free disk. lmdb 3.5 rolls a commit back when the disk is full, but may
 * then crash the process on closing: stop before that.
 * @throws STORE_FULL
 */
export function checkFreeSpace(dir: string, bytes: number): void {
  const disk = statfsSync(dir)
  const free = disk.bavail * disk.bsize
  if (free >= bytes) return
  throw new LockstepError(
    'STORE_FULL',
    `disk full: ${dir} has ${Math.floor(free / MIB)} MiB free, ${Math.ceil(bytes / MIB)} MiB are needed`,
    { data: { free, needed: bytes } },
  )
}

/** Returns `bytes` as a plain Uint8Array: `slice` of a Buffer does not copy. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** lmdb's own types omit that `getBinary` takes the options of `get`. */
interface BinaryReads {
  getBinary(key: Uint8Array, options?: { readonly transaction: Transaction }): Buffer | undefined
}

/** The reads of a table. */
export type LmdbReads = Pick<LmdbTable, 'get' | 'range'>

/** The reads and writes of a table. */
export type LmdbRows = LmdbReads & Pick<LmdbTable, 'put' | 'append' | 'remove'>

/** The files and the database that hold a table's rows. */
interface TableSource {
  readonly name: string
  readonly files: MappedFiles
  readonly database: Database<Buffer, Uint8Array>
  /** The snapshot that reads see; undefined for the latest state. */
  readonly transaction?: Transaction
}

/**
 * One table of an environment: binary keys in byte order. Values read are copies. A row that does not match its
 * checksum throws STORE_CORRUPTED.
 */
export class LmdbTable {
  readonly #name: string
  readonly #files: MappedFiles
  readonly #database: Database<Buffer, Uint8Array>
  readonly #reads: { readonly transaction: Transaction } | undefined

  constructor({ name, files, database, transaction }: TableSource) {
    this.#name = name
    this.#files = files
    this.#database = database
    this.#reads = transaction && { transaction }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#files.expectWhole()
    let value: Buffer | undefined
    try {
      const database: BinaryReads = this.#database
      value = database.getBinary(key, this.#reads)
    } catch (thrown) {
      throw storeError(this.#files.data, thrown)
    }
    return value && this.#unseal(key, plain(value))
  }

  /** Returns the first row at or above `start`. */
  seek(start: Uint8Array): LmdbRow | undefined {
    for (const row of this.range({ start, limit: 1 })) return row
    return undefined
  }

  /** Yields rows from `start` up to `end`; reversed, from `start` down to `end`. The second bound is excluded. */
  *range(range: RowRange): Generator<LmdbRow, void> {
    this.#files.expectWhole()
    try {
      for (const { key, value } of this.#database.getRange({ ...range, ...this.#reads })) {
        const plainKey = plain(key)
        yield { key: plainKey, value: this.#unseal(plainKey, plain(value)) }
      }
    } catch (thrown) {
      throw storeError(this.#files.data, thrown)
    }
  }

  /** Writes a row; only inside `LmdbEnv.write`. Both arrays are copied at once. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#database.putSync(key, sealValue(key, value))
  }

  /** Writes a row whose key is above all others, which fills pages completely. */
  append(key: Uint8Array, value: Uint8Array): void {
    this.#database.putSync(key, sealValue(key, value), { append: true })
  }

  /** Deletes a row; only inside `LmdbEnv.write`. */
  remove(key: Uint8Array): void {
    this.#database.removeSync(key)
  }

  #unseal(key: Uint8Array, sealed: Uint8Array): Uint8Array {
    const value = unsealValue(key, sealed)
    if (value !== undefined) return value
    const { data } = this.#files
    throw new LockstepError(
      'STORE_CORRUPTED',
      `${data} is damaged: row ${formatData(key)} of table ${this.#name} does not match its checksum`,
      { data: { path: data } },
    )
  }
}

/** One state of an environment, unaffected by later commits until it is closed. */
export interface LmdbSnapshot {
  table(name: string): LmdbReads
  /** Releases the snapshot. Until then its pages are not reused, so the file grows. */
  close(): void
}

/** Options of an environment. */
export interface LmdbEnvOptions {
  /**
   * Set if another thread or process may write to it now and checked it when opening it. Threads share what lmdb has
   * open. No other process may write while this one opens it (host/storage/store/sqlite/write-lock.ts).
   */
  readonly isShared?: boolean
  /**
   * Set if commits do not wait for the disk. A power failure may then damage the environment, which its owner
   * rebuilds. Killing the process is harmless.
   */
  readonly isDisposable?: boolean
  /**
   * Tables to open at once. In a new environment that is one commit and one sync; opening each table separately costs
   * one each.
   */
  readonly tables?: readonly string[]
}

/**
 * An LMDB environment in its own directory, checked as a whole before lmdb maps it. Transactions are synchronous: if
 * the disk is full, an asynchronous one rejects promises that cannot be caught, and then never closes.
 */
export class LmdbEnv {
  readonly dir: string
  readonly #files: MappedFiles
  readonly #root: RootDatabase<Buffer, Uint8Array>
  /**
   * The names of the tables. Tables' heads have no checksums, so a lost one is detected by its name, which is written
   * with its first rows.
   */
  readonly #names: LmdbTable
  readonly #unlisted = new Set<string>()

  /** @throws STORE_CORRUPTED if the directory holds no sound environment, STORE_FULL. */
  constructor(
    dir: string,
    { isShared = false, isDisposable = false, tables = [] }: LmdbEnvOptions = {},
  ) {
    this.dir = dir
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      checkFiles(dir)
      if (!isShared) checkEnvironment(dir)
      this.#root = open<Buffer, Uint8Array>({
        path: dir,
        noSubdir: false,
        maxDbs: 16,
        keyEncoding: 'binary',
        encoding: 'binary',
        overlappingSync: false,
        noSync: isDisposable,
      })
      this.#files = new MappedFiles(dir)
    } catch (thrown) {
      throw storeError(dir, thrown)
    }
    this.#names = this.#together([TABLE_LIST, ...tables])
  }

  table(name: string): LmdbTable {
    const table = this.#newest(name)
    if (this.#names.get(Buffer.from(name)) === undefined) this.#unlisted.add(name)
    return table
  }

  /** Returns a snapshot of the latest state of the named tables. */
  snapshot(names: readonly string[]): LmdbSnapshot {
    // A table opened after the transaction started is not part of it.
    const databases = names.map((name) => this.#open(name))
    const transaction = this.#root.useReadTransaction()
    const files = this.#files
    const tables = new Map(
      names.map((name, i) => {
        const database = databases[i] as Database<Buffer, Uint8Array>
        return [name, new LmdbTable({ name, files, database, transaction })]
      }),
    )
    return {
      table: (name) => {
        const table = tables.get(name)
        if (table === undefined) throw new RangeError(`the snapshot has no table ${name}`)
        return table
      },
      close: () => transaction.done(),
    }
  }

  /** Runs `work` as one transaction: all of it is on disk when this returns, or nothing if it throws. */
  write<T>(work: () => T): T {
    this.#files.expectWhole()
    try {
      return this.#transact(() => {
        for (const name of this.#unlisted) this.#names.put(Buffer.from(name), NOTHING)
        const result = work()
        this.#unlisted.clear()
        return result
      })
    } catch (thrown) {
      throw storeError(this.dir, thrown)
    }
  }

  /** Lets reads see what another thread has committed; otherwise the reads of one event loop tick share a snapshot. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  #transact<T>(work: () => T): T {
    return runWhole(() => this.#root.transactionSync(work))
  }

  /** Opens tables in one transaction. Returns the first. */
  #together(names: readonly string[]): LmdbTable {
    try {
      const [first] = this.#transact(() => names.map((name) => this.#newest(name)))
      return first as LmdbTable
    } catch (thrown) {
      throw storeError(this.dir, thrown)
    }
  }

  #newest(name: string): LmdbTable {
    return new LmdbTable({ name, files: this.#files, database: this.#open(name) })
  }

  #open(name: string): Database<Buffer, Uint8Array> {
    try {
      return this.#root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' })
    } catch (thrown) {
      throw storeError(this.dir, thrown)
    }
  }
}
