import { LockstepError } from '../../../base/error.ts'
import { bytesText, textBytes, unwritable } from '../../../base/writable.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  type CodeRow,
  STORAGE_ROW,
} from '../../../evm/engine/state-diff.ts'
import type { Changeset, KeyWrite, ModuleWrites } from '../../../evm/state/changeset.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

function writeKeys(writer: ByteWriter, writes: readonly KeyWrite[]): void {
  writer.uint(writes.length)
  for (const { key, value } of writes) {
    writer.bytes(key)
    writer.byte(value === undefined ? 0 : 1)
    if (value !== undefined) writer.bytes(value)
  }
}

function readKeys(reader: ByteReader): KeyWrite[] {
  const writes: KeyWrite[] = []
  for (let rest = reader.uint(); rest > 0; rest--) {
    const key = reader.bytes()
    writes.push({ key, value: reader.byte() === 0 ? undefined : reader.bytes() })
  }
  return writes
}

function readRows(reader: ByteReader, width: number): Uint8Array {
  const rows = reader.bytes()
  if (rows.length % width !== 0) {
    throw new LockstepError('STORE_CORRUPTED', `stored rows of ${rows.length} bytes, not ${width}`)
  }
  return rows
}

function writeRows(writer: ByteWriter, rows: Uint8Array, width: number): void {
  if (rows.length % width !== 0)
    throw unwritable(`${rows.length} bytes of rows`, `want rows of ${width}`)
  writer.bytes(rows)
}

/** @throws INVALID_ARGUMENT */
export function encodeChangeset(changeset: Changeset): Uint8Array {
  const { accounts, cleared, storage, codes } = changeset.evm
  const writer = new ByteWriter(accounts.length + storage.length + 1024)
  writer.uint(changeset.height)
  writeRows(writer, accounts, ACCOUNT_ROW)
  writeRows(writer, cleared, CLEARED_ROW)
  writeRows(writer, storage, STORAGE_ROW)
  writer.uint(codes.length)
  for (const { codeHash, code } of codes) {
    writer.bytes(codeHash)
    writer.bytes(code)
  }
  writeKeys(writer, changeset.legacy)
  writer.uint(changeset.modules.length)
  for (const { module, writes } of changeset.modules) {
    writer.bytes(textBytes(module, 'the name of a module'))
    writeKeys(writer, writes)
  }
  return writer.finish()
}

/** Returns the changeset, whose arrays are views into `bytes`. @throws STORE_CORRUPTED */
export function decodeChangeset(bytes: Uint8Array): Changeset {
  const reader = new ByteReader(bytes)
  const height = reader.uint()
  const accounts = readRows(reader, ACCOUNT_ROW)
  const cleared = readRows(reader, CLEARED_ROW)
  const storage = readRows(reader, STORAGE_ROW)
  const codes: CodeRow[] = []
  for (let rest = reader.uint(); rest > 0; rest--) {
    codes.push({ codeHash: reader.bytes(), code: reader.bytes() })
  }
  const legacy = readKeys(reader)
  const modules: ModuleWrites[] = []
  for (let rest = reader.uint(); rest > 0; rest--) {
    const module = bytesText(reader.bytes())
    modules.push({ module, writes: readKeys(reader) })
  }
  reader.finish()
  return { height, evm: { accounts, cleared, storage, codes }, legacy, modules }
}
