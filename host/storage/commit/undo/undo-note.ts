import { LockstepError } from '../../../base/error.ts'

/** The tables whose rows a flush replaces. The index of each is its number in a note. */
export const UNDO_TABLES = [
  'account',
  'code',
  'storage',
  'misc',
  'bytecode',
  'lattices',
  'nodes',
  'roots',
  'versions',
  'dropped',
  'markers',
] as const

export type UndoTable = (typeof UNDO_TABLES)[number]

/** A row as it was before a flush; undefined if there was none. */
export interface UndoNote {
  readonly table: UndoTable
  readonly key: Uint8Array
  readonly old: Uint8Array | undefined
}

/** Maximum bytes of notes per row. */
const CHUNK_BYTES = 64 * 1024
/** Number of the table 1, length of the key 2, length of the row 4. */
const HEADER = 7
/** Written as the length if there was no row. */
const ABSENT = 0xffff_ffff

/** Packs notes into chunks, in the order in which the rows were replaced. */
export class NoteWriter {
  readonly #chunks: Uint8Array[] = []
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #length = 0

  add({ table, key, old }: UndoNote): void {
    const length = HEADER + key.length + (old?.length ?? 0)
    if (this.#length > 0 && this.#length + length > this.#chunk.length) this.#begin()
    if (length > this.#chunk.length) this.#chunk = Buffer.allocUnsafeSlow(length)
    const chunk = this.#chunk
    chunk.writeUInt8(UNDO_TABLES.indexOf(table), this.#length)
    chunk.writeUInt16BE(key.length, this.#length + 1)
    chunk.writeUInt32BE(old?.length ?? ABSENT, this.#length + 3)
    chunk.set(key, this.#length + HEADER)
    if (old !== undefined) chunk.set(old, this.#length + HEADER + key.length)
    this.#length += length
  }

  /** Returns all chunks since the last call. */
  take(): Uint8Array[] {
    if (this.#length > 0) this.#begin()
    return this.#chunks.splice(0)
  }

  #begin(): void {
    this.#chunks.push(this.#chunk.subarray(0, this.#length))
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    this.#length = 0
  }
}

/** Returns the notes of a chunk, in the order in which they were added. @throws STORE_CORRUPTED */
export function readNotes(chunk: Uint8Array): UndoNote[] {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
  const notes: UndoNote[] = []
  for (let at = 0; at < chunk.length; ) {
    const table = UNDO_TABLES[view.getUint8(at)]
    const key = at + HEADER
    const row = key + view.getUint16(at + 1)
    const length = view.getUint32(at + 3)
    at = length === ABSENT ? row : row + length
    if (table === undefined || at > chunk.length) {
      throw new LockstepError('STORE_CORRUPTED', 'state commit: a note of a flush cannot be read')
    }
    const old = length === ABSENT ? undefined : chunk.slice(row, at)
    notes.push({ table, key: chunk.slice(key, row), old })
  }
  return notes
}
