import { createRequire } from 'node:module'
import { LockstepError, messageOf } from '../../../base/error.ts'

const PACKAGE = '@nxtedition/rocksdb'
const VERSION = '12.2.12'

/** A column family, opaque to JavaScript. */
export type RocksColumn = object

/** The column family options in use; the package decides the others. */
export interface RocksColumnOptions {
  readonly compaction: 'universal' | 'level'
  /** Bytes; a memtable is a quarter of it. */
  readonly memtableMemoryBudget: number
  /** Bytes of the block cache. */
  readonly cacheSize: number
  readonly compression: boolean
  /** Seeks to a key in its domain skip files whose Bloom filter lacks the prefix. */
  readonly prefixExtractor?: string
}

export interface RocksOptions {
  readonly createIfMissing: boolean
  readonly walCompression: boolean
  readonly columns: Readonly<Record<string, RocksColumnOptions>>
}

/** A range of rows; without bounds the whole column. */
export interface RocksRange {
  readonly column: RocksColumn
  readonly gte?: Uint8Array
  readonly lt?: Uint8Array
  readonly reverse?: boolean
  readonly values?: boolean
  readonly fillCache: boolean
  readonly asyncIO: boolean
  readonly keyEncoding: 'buffer'
  readonly valueEncoding: 'buffer'
}

/** Keys and values, alternating. */
export interface RocksRows {
  readonly rows: readonly Uint8Array[]
  readonly finished: boolean
}

/** Sees the rows that existed when it was created. */
export interface RocksIterator {
  _seekSync(target: Uint8Array): void
  _nextvSync(count: number): RocksRows
  close(): Promise<void>
}

export interface RocksBatch {
  _put(key: Uint8Array, value: Uint8Array, options: { readonly column: RocksColumn }): void
  _del(key: Uint8Array, options: { readonly column: RocksColumn }): void
  /** Writes the batch atomically; `sync` waits for the disk. */
  _writeSync(options: { readonly sync: boolean }): void
  _clear(): void
  close(): Promise<void>
}

export interface RocksLevel {
  readonly columns: Readonly<Record<string, RocksColumn>>
  /** Identifies the open database to other threads of the process. */
  readonly handle: bigint
  open(options?: RocksOptions): Promise<void>
  batch(): RocksBatch
  _iterator(range: RocksRange): RocksIterator
  _getManySync(
    keys: readonly Uint8Array[],
    options: { readonly column: RocksColumn; readonly valueEncoding: 'buffer' },
  ): readonly (Uint8Array | undefined)[]
  /** Returns a property of the whole database, as text. */
  getProperty(name: string): string
  /** Removes the rows between two keys; without bounds the whole column. */
  _clear(options: { readonly column: RocksColumn }, callback: (error: unknown) => void): void
  close(): Promise<void>
}

/** The parts of the package in use; it has no types of its own. */
export interface RocksModule {
  readonly RocksLevel: new (
    locationOrHandle: string | bigint,
    options: RocksOptions | object,
  ) => RocksLevel
}

/**
 * Loads the binding, which is not among the node's own packages because it takes 57 MB.
 * @throws UNSUPPORTED if it is not installed or does not run here.
 */
export function loadRocks(): RocksModule {
  try {
    return createRequire(import.meta.url)(PACKAGE) as RocksModule
  } catch (thrown) {
    const { code } = thrown as { code?: unknown }
    const reason = code === 'MODULE_NOT_FOUND' ? 'it is not installed' : messageOf(thrown)
    throw new LockstepError('UNSUPPORTED', `ss-backend "rocksdb" needs ${PACKAGE}: ${reason}`, {
      hint: `npm install --no-save ${PACKAGE}@${VERSION}, with --global where lockstep is installed so`,
      cause: thrown,
    })
  }
}
