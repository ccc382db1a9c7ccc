import { LockstepError } from '../../../base/error.ts'
import type { LmdbEnv, LmdbRows, LmdbTable } from '../../store/lmdb/lmdb-env.ts'
import { NoteWriter, readNotes, type UndoNote, type UndoTable } from './undo-note.ts'

const MIB = 1024 * 1024

/** Maximum heights that can be undone, within `MOST_BYTES`, and the minimum whatever their size. */
const MOST_HEIGHTS = 1000
const LEAST_HEIGHTS = 128
const MOST_BYTES = 256 * MIB

/** The flushes, and the rows they replaced. */
export const UNDO_LOG_TABLES = ['flushes', 'undo'] as const

/** A flush that can be undone. */
export interface UndoableFlush {
  /** The version that it flushed, and the one before. */
  readonly version: number
  readonly base: number
  readonly chunks: number
  readonly bytes: number
}

/**
 * The rows that the latest flushes replaced, recorded in the transaction of each flush. Earlier versions can be
 * restored bit by bit, including the height at which each row was written.
 */
export class UndoLog {
  readonly #env: LmdbEnv
  readonly #flushes: LmdbTable
  readonly #notes: LmdbTable
  readonly #writer = new NoteWriter()
  /** Versions ascend. */
  readonly #kept: UndoableFlush[]

  readonly #mostHeights: number

  /** @param keepsAll - True if only `MOST_BYTES` limits what can be undone. */
  constructor(env: LmdbEnv, keepsAll = false) {
    this.#env = env
    this.#mostHeights = keepsAll ? Number.POSITIVE_INFINITY : MOST_HEIGHTS
    const [flushes, notes] = UNDO_LOG_TABLES
    this.#flushes = env.table(flushes)
    this.#notes = env.table(notes)
    this.#kept = Array.from(this.#flushes.range({}), ({ key, value }) => readFlush(key, value))
  }

  /** The flushes that can be undone one after another, the latest first. */
  get flushes(): readonly UndoableFlush[] {
    return this.#kept.toReversed()
  }

  note(table: UndoTable, key: Uint8Array, old: Uint8Array | undefined): void {
    this.#writer.add({ table, key, old })
  }

  /** Returns a table whose writes are recorded as part of the current flush. */
  table(name: UndoTable): LmdbRows {
    const rows = this.#env.table(name)
    const note = (key: Uint8Array): void => this.note(name, key, rows.get(key))
    return {
      get: (key) => rows.get(key),
      range: (range) => rows.range(range),
      put: (key, value) => {
        note(key)
        rows.put(key, value)
      },
      append: (key, value) => {
        note(key)
        rows.append(key, value)
      },
      remove: (key) => {
        note(key)
        rows.remove(key)
      },
    }
  }

  /** Ends the flush from `base` to `version`. Call it in the flush's transaction. */
  finish(base: number, version: number): void {
    const chunks = this.#writer.take()
    let bytes = 0
    for (const [place, chunk] of chunks.entries()) {
      this.#notes.append(noteKey(version, place), chunk)
      bytes += chunk.length
    }
    const flush = { version, base, chunks: chunks.length, bytes }
    this.#flushes.append(flushKey(version), writeFlush(flush))
    this.#kept.push(flush)
    this.#prune(version)
  }

  /** Yields the notes of a flush in the order of undoing, the last first. @throws STORE_CORRUPTED */
  *notes({ version, chunks }: UndoableFlush): Generator<UndoNote, void> {
    for (let place = chunks - 1; place >= 0; place--) {
      const chunk = this.#notes.get(noteKey(version, place))
      if (chunk === undefined) {
        throw new LockstepError(
          'STORE_CORRUPTED',
          `state commit ${this.#env.dir}: notes of the flush of version ${version} are missing`,
        )
      }
      yield* readNotes(chunk).reverse()
    }
  }

  /** Removes a flush. Call it in a transaction. */
  remove({ version, chunks }: UndoableFlush): void {
    for (let place = 0; place < chunks; place++) this.#notes.remove(noteKey(version, place))
    this.#flushes.remove(flushKey(version))
    const at = this.#kept.findIndex((flush) => flush.version === version)
    this.#kept.splice(at, 1)
  }

  #prune(newest: number): void {
    let bytes = this.#kept.reduce((sum, flush) => sum + flush.bytes, 0)
    for (let [oldest] = this.#kept; oldest !== undefined; [oldest] = this.#kept) {
      const age = newest - oldest.version
      if (age < this.#mostHeights && (age < LEAST_HEIGHTS || bytes <= MOST_BYTES)) return
      bytes -= oldest.bytes
      this.remove(oldest)
    }
  }
}

function flushKey(version: number): Uint8Array {
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(BigInt(version))
  return key
}

/** Version 8, index of the chunk 4. */
function noteKey(version: number, place: number): Uint8Array {
  const key = Buffer.alloc(12)
  key.writeBigUInt64BE(BigInt(version))
  key.writeUInt32BE(place, 8)
  return key
}

/** Base 8 (signed: -1 before the first version), chunks 4, bytes 8. */
function writeFlush({ base, chunks, bytes }: UndoableFlush): Uint8Array {
  const row = Buffer.alloc(20)
  row.writeBigInt64BE(BigInt(base))
  row.writeUInt32BE(chunks, 8)
  row.writeBigUInt64BE(BigInt(bytes), 12)
  return row
}

function readFlush(key: Uint8Array, row: Uint8Array): UndoableFlush {
  const view = new DataView(row.buffer, row.byteOffset, row.length)
  return {
    version: Number(new DataView(key.buffer, key.byteOffset, 8).getBigUint64(0)),
    base: Number(view.getBigInt64(0)),
    chunks: view.getUint32(8),
    bytes: Number(view.getBigUint64(12)),
  }
}
