import { LockstepError } from '../../../base/error.ts'
import { ACCOUNT_ROW, CLEARED_ROW, STORAGE_ROW } from '../../../evm/engine/state-diff.ts'
import type { Changeset } from '../../../evm/state/changeset.ts'
import { encodeOrderedKey, orderedKeyLength } from '../codec/ordered-key.ts'

/** The tables of the state store; all but `modules` hold EVM data. */
export const TABLES = ['account', 'code', 'storage', 'cleared', 'legacy', 'modules'] as const

export type TableName = (typeof TABLES)[number]

/** Concatenated rows of one width. A value of zeros deletes its key. */
export interface PackedRows {
  readonly bytes: Uint8Array
  readonly width: number
  readonly keyLength: number
}

/** A single row. An empty value deletes the key. */
export interface TableRow {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Receives the rows of one height, table by table. */
export interface RowSink {
  packed(table: TableName, rows: PackedRows): void
  row(table: TableName, row: TableRow): void
}

export const ADDRESS_BYTES = 20
export const STORAGE_KEY_BYTES = 52
/** The only value of a row of `cleared`. */
const CLEARED = Uint8Array.of(1)
/** Precedes the value of a key of any length, so that an empty value differs from a tombstone. */
const LIVE = 1
const TOMBSTONE = new Uint8Array(0)
const TEXT_ENCODER = new TextEncoder()
/** Rows of `legacy` are stored under this module's name, like all of them upstream. */
const EVM_MODULE = TEXT_ENCODER.encode('evm')

/** Encodes the value of a row whose key and value may have any length. */
export function encodeLive(value: Uint8Array | undefined): Uint8Array {
  if (value === undefined) return TOMBSTONE
  const row = new Uint8Array(value.length + 1)
  row[0] = LIVE
  row.set(value, 1)
  return row
}

/** Decodes a value that `encodeLive` encoded; undefined for a deleted key. */
export function decodeLive(row: Uint8Array): Uint8Array | undefined {
  return row.length === 0 ? undefined : row.subarray(1)
}

/** Checks every key of variable length. @throws INVALID_ARGUMENT if one is empty or too long. */
export function checkChangesetKeys({ legacy, modules }: Changeset): void {
  for (const { key } of legacy) checkKey(EVM_MODULE, key)
  for (const { module, writes } of modules) {
    const name = TEXT_ENCODER.encode(module)
    for (const { key } of writes) checkKey(name, key)
  }
}

function checkKey(module: Uint8Array, key: Uint8Array): void {
  if (key.length === 0) throw new LockstepError('INVALID_ARGUMENT', 'store key is empty')
  orderedKeyLength(module, key)
}

/**
 * Writes the rows of a changeset by table, the only place that decides which table holds what. Emptying an account's
 * storage is a row of `cleared`; code is stored by its hash.
 */
export function writeRows({ evm, legacy, modules }: Changeset, sink: RowSink): void {
  sink.packed('account', { bytes: evm.accounts, width: ACCOUNT_ROW, keyLength: ADDRESS_BYTES })
  sink.packed('storage', { bytes: evm.storage, width: STORAGE_ROW, keyLength: STORAGE_KEY_BYTES })
  for (let start = 0; start < evm.cleared.length; start += CLEARED_ROW) {
    sink.row('cleared', { key: evm.cleared.subarray(start, start + CLEARED_ROW), value: CLEARED })
  }
  for (const { codeHash, code } of evm.codes) {
    if (code.length > 0) sink.row('code', { key: codeHash, value: code })
  }
  for (const { key, value } of legacy) {
    sink.row('legacy', { key: encodeOrderedKey(EVM_MODULE, key), value: encodeLive(value) })
  }
  for (const { module, writes } of modules) {
    const name = TEXT_ENCODER.encode(module)
    for (const { key, value } of writes) {
      sink.row('modules', { key: encodeOrderedKey(name, key), value: encodeLive(value) })
    }
  }
}
