import { closeSync, mkdirSync, openSync, readSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb'
import { LockstepError } from '../base/error.ts'
import { storeError } from '../table/store-error.ts'

/** The longest key LMDB takes with pages of 4096 bytes. */
export const MAX_KEY = 1978

const MIB = 1 << 20

/** LMDB's magic number and where lmdb's build has it: behind the 24 bytes of a page's header. */
const MAGIC = 0xbeefc0de
const MAGIC_OFFSET = 24

export interface Row {
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
 * Checks the first page of an environment that exists: opening a file that is none ends the process
 * with SIGSEGV inside lmdb 3.5.
 * @throws STORE_CORRUPTED
 */
function checkFirstPage(dir: string): void {
  const head = Buffer.alloc(MAGIC_OFFSET + 4)
  let file: number
  try {
    file = openSync(join(dir, 'data.mdb'), 'r')
  } catch {
    return
  }
  const length = readSync(file, head, 0, head.length, 0)
  closeSync(file)
  if (length === 0 || (length === head.length && head.readUInt32LE(MAGIC_OFFSET) === MAGIC)) return
  throw new LockstepError('STORE_CORRUPTED', `database ${dir}: data.mdb is not an LMDB file`)
}

/**
 * Refuses to go on with less than `bytes` of free disk below `dir`. A commit that meets the end of the
 * disk is rolled back, but lmdb 3.5 may then end the process on closing: stop before.
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

/** The same bytes without Buffer's own methods, whose `slice` does not copy. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** lmdb's own types leave out that `getBinary` takes the options of `get`. */
interface BinaryReads {
  getBinary(key: Uint8Array, options?: { readonly transaction: Transaction }): Buffer | undefined
}

/** What can be read of a table. */
export type LmdbReads = Pick<LmdbTable, 'get' | 'range'>

/** One table of an environment: binary keys in byte order. Values that are read are copies. */
export class LmdbTable {
  readonly #dir: string
  readonly #database: Database<Buffer, Uint8Array>
  /** Where reads see one state; undefined where they see the newest. */
  readonly #reads: { readonly transaction: Transaction } | undefined

  constructor(dir: string, database: Database<Buffer, Uint8Array>, transaction?: Transaction) {
    this.#dir = dir
    this.#database = database
    this.#reads = transaction && { transaction }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    try {
      const database: BinaryReads = this.#database
      const value = database.getBinary(key, this.#reads)
      return value && plain(value)
    } catch (thrown) {
      throw storeError(this.#dir, thrown)
    }
  }

  /** The first row at or above `start`. */
  seek(start: Uint8Array): Row | undefined {
    try {
      for (const { key, value } of this.#database.getRange({ start, limit: 1 })) {
        return { key: plain(key), value: plain(value) }
      }
      return undefined
    } catch (thrown) {
      throw storeError(this.#dir, thrown)
    }
  }

  /** Rows from `start` up to `end`; reversed, from `start` down to `end`. The second bound is excluded. */
  *range(range: RowRange): Generator<Row, void> {
    try {
      for (const { key, value } of this.#database.getRange({ ...range, ...this.#reads })) {
        yield { key: plain(key), value: plain(value) }
      }
    } catch (thrown) {
      throw storeError(this.#dir, thrown)
    }
  }

  /** Writes a row; only inside `LmdbEnv.write`, where both arrays are copied at once. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#database.putSync(key, value as Buffer)
  }

  /** The same for a key above all others, which leaves full pages behind. */
  append(key: Uint8Array, value: Uint8Array): void {
    this.#database.putSync(key, value as Buffer, { append: true })
  }

  /** Deletes a row; only inside `LmdbEnv.write`. */
  remove(key: Uint8Array): void {
    this.#database.removeSync(key)
  }
}

/** One state of an environment, which later commits leave as it is until it is closed. */
export interface LmdbSnapshot {
  table(name: string): LmdbReads
  /** Gives up the state: until then the pages it is made of are not used again, and the file grows. */
  close(): void
}

/**
 * An LMDB environment in its own directory. Transactions are synchronous: an asynchronous one that
 * meets a full disk rejects promises nobody holds, and then never closes.
 */
export class LmdbEnv {
  readonly dir: string
  readonly #root: RootDatabase<Buffer, Uint8Array>

  /** @throws STORE_CORRUPTED where the directory holds no valid environment, STORE_FULL. */
  constructor(dir: string) {
    this.dir = dir
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      checkFirstPage(dir)
      this.#root = open<Buffer, Uint8Array>({
        path: dir,
        noSubdir: false,
        maxDbs: 16,
        keyEncoding: 'binary',
        encoding: 'binary',
        overlappingSync: false,
      })
    } catch (thrown) {
      throw storeError(dir, thrown)
    }
  }

  table(name: string): LmdbTable {
    return new LmdbTable(this.dir, this.#open(name))
  }

  /** The newest state of the tables named. */
  snapshot(names: readonly string[]): LmdbSnapshot {
    // A table that is opened after the transaction began is not part of it.
    const databases = names.map((name) => this.#open(name))
    const transaction = this.#root.useReadTransaction()
    const tables = new Map(
      names.map((name, i) => [
        name,
        new LmdbTable(this.dir, databases[i] as Database<Buffer, Uint8Array>, transaction),
      ]),
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

  /** Runs `work` as one transaction: all of it is on disk when this returns, or none when it throws. */
  write<T>(work: () => T): T {
    try {
      return this.#root.transactionSync(work)
    } catch (thrown) {
      throw storeError(this.dir, thrown)
    }
  }

  /** Lets reads see what another thread has committed: a turn of the event loop reads one snapshot. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  #open(name: string): Database<Buffer, Uint8Array> {
    try {
      return this.#root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' })
    } catch (thrown) {
      throw storeError(this.dir, thrown)
    }
  }
}
