import { statfsSync } from 'node:fs'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { requireCount } from '../../../base/writable.ts'
import { ADDRESS_BYTES, STORAGE_KEY_BYTES, TABLES, type TableName } from '../state/table-rows.ts'
import type { RocksColumnOptions, RocksOptions } from './rocksdb-module.ts'

const MIB = 1 << 20
const CODE_HASH_BYTES = 32
/** Free bytes below which a failed write counts as a full disk. */
const FULL_BELOW = MIB

/** The column of the named heights, the sizes of the tables and the progress of pruning. */
export const HEIGHTS_COLUMN = 'default'

/** Bytes of a table's keys if all have the same length. */
export const KEY_BYTES: Readonly<Partial<Record<TableName, number>>> = {
  account: ADDRESS_BYTES,
  code: CODE_HASH_BYTES,
  storage: STORAGE_KEY_BYTES,
  cleared: ADDRESS_BYTES,
}

/** Tables to which a block writes thousands of rows. */
const LARGE: ReadonlySet<TableName> = new Set(['account', 'storage', 'modules'])

/**
 * Rows are never overwritten, so compaction by size (`universal`) wastes no space. It writes each row a few times;
 * compaction by levels writes it a dozen times. Keys of one length are the prefix of the Bloom filters: a seek reads
 * one or two files.
 */
function columnOptions(table: TableName, isUsed: boolean): RocksColumnOptions {
  const isLarge = isUsed && LARGE.has(table)
  const options: RocksColumnOptions = {
    compaction: 'universal',
    memtableMemoryBudget: (isLarge ? 128 : 4) * MIB,
    cacheSize: (isLarge ? 64 : 4) * MIB,
    compression: false,
  }
  const keyBytes = KEY_BYTES[table]
  if (keyBytes === undefined) return options
  return { ...options, prefixExtractor: `rocksdb.FixedPrefix.${keyBytes}` }
}

/**
 * Every table has a column in every database, because RocksDB requires all existing columns on opening; `tables` are
 * those in use.
 */
export function databaseOptions(tables: readonly TableName[]): RocksOptions {
  const columns: Record<string, RocksColumnOptions> = {
    [HEIGHTS_COLUMN]: {
      compaction: 'level',
      memtableMemoryBudget: MIB,
      cacheSize: MIB,
      compression: false,
    },
  }
  for (const table of TABLES) columns[table] = columnOptions(table, tables.includes(table))
  // The binding cannot turn off RocksDB's log. Rows are too random to be worth compressing.
  return { createIfMissing: true, walCompression: false, columns }
}

const TEXT_ENCODER = new TextEncoder()

/** Keys of the heights' column. */
export const heightKey = (name: string): Uint8Array => TEXT_ENCODER.encode(`height/${name}`)
export const sizeKey = (table: TableName): Uint8Array => TEXT_ENCODER.encode(`size/${table}`)
export const prunedKey = (table: TableName): Uint8Array => TEXT_ENCODER.encode(`pruned/${table}`)

/** Encodes 64-bit numbers, concatenated. */
export function encodeNumbers(...numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 8)
  const view = new DataView(bytes.buffer)
  numbers.forEach((number, i) => {
    requireCount(number, 'a number')
    view.setBigUint64(i * 8, BigInt(number))
  })
  return bytes
}

export function decodeNumber(bytes: Uint8Array, index: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Number(view.getBigUint64(index * 8))
}

function textOf(thrown: unknown): string {
  const { cause } = thrown as { cause?: unknown }
  return cause === undefined ? messageOf(thrown) : `${messageOf(thrown)}: ${messageOf(cause)}`
}

function isFull(dir: string, text: string): boolean {
  if (text.includes('No space left on device')) return true
  try {
    const disk = statfsSync(dir)
    return disk.bavail * disk.bsize < FULL_BELOW
  } catch {
    return false
  }
}

/** Converts an error of RocksDB to STORE_FULL, HOME_LOCKED or STORE_CORRUPTED with the directory. */
export function rocksError(dir: string, thrown: unknown): LockstepError {
  if (thrown instanceof LockstepError) return thrown
  const text = textOf(thrown)
  const options = { cause: thrown }
  if (isFull(dir, text)) {
    return new LockstepError('STORE_FULL', `disk full: ${dir}: ${text}`, options)
  }
  if (text.includes('IO error: lock ') || text.includes('While lock file')) {
    return new LockstepError('HOME_LOCKED', `database ${dir} is in use: ${text}`, options)
  }
  return new LockstepError('STORE_CORRUPTED', `database ${dir}: ${text}`, options)
}
