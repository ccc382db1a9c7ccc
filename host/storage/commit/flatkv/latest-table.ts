import type { LmdbTable } from '../../store/lmdb/lmdb-env.ts'
import { sortPacked } from '../../table/row-sort.ts'

const DELETED = new Uint8Array(0)

const { latin1Slice, latin1Write } = Buffer.prototype

/** Returns a key as text: one character per byte, in the same order as the bytes. */
function textOf(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length)
}

/** A key's row in three layers. `DELETED` in a layer means that there is no row. */
export class LatestRow {
  /** The key as text. */
  readonly key: string
  readonly stored: Uint8Array
  committed: Uint8Array | undefined
  staged: Uint8Array | undefined

  constructor(key: string, stored: Uint8Array) {
    this.key = key
    this.stored = stored
    this.committed = undefined
    this.staged = undefined
  }

  get value(): Uint8Array | undefined {
    const newest = this.staged ?? this.committed ?? this.stored
    return newest.length === 0 ? undefined : newest
  }
}

/** The rows that a commit changes, as committed before it. */
export type LatestUndo = readonly {
  readonly row: LatestRow
  readonly committed: Uint8Array | undefined
}[]

/**
 * The latest row of each key, in three layers: staged, committed but not flushed, and on disk. No row is empty: an
 * empty one stands for a deleted key.
 */
export class LatestTable {
  readonly #stored: LmdbTable
  /** Rows looked up since the last flush, so that one map lookup finds all layers. */
  readonly #rows = new Map<string, LatestRow>()
  #staged: LatestRow[] = []
  #pending = 0

  constructor(stored: LmdbTable) {
    this.#stored = stored
  }

  /** Rows committed and not flushed. */
  get pendingRows(): number {
    return this.#pending
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const row = this.#rows.get(textOf(key))
    return row === undefined ? this.#stored.get(key) : row.value
  }

  /** Returns the row of a key, for staging. It is valid until the next flush. */
  at(key: Uint8Array): LatestRow {
    const text = textOf(key)
    const known = this.#rows.get(text)
    if (known !== undefined) return known
    const row = new LatestRow(text, this.#stored.get(key) ?? DELETED)
    this.#rows.set(text, row)
    return row
  }

  /** Returns the keys that start with `prefix`, in no order. */
  prefixed(prefix: Uint8Array): Uint8Array[] {
    const start = textOf(prefix)
    const found = new Map<string, Uint8Array>()
    for (const { key } of this.#stored.range({ start: prefix })) {
      const text = textOf(key)
      if (!text.startsWith(start)) break
      found.set(text, key)
    }
    for (const { key, value } of this.#rows.values()) {
      if (!key.startsWith(start)) continue
      if (value === undefined) found.delete(key)
      else found.set(key, Buffer.from(key, 'latin1'))
    }
    return [...found.values()]
  }

  stage(row: LatestRow, value: Uint8Array | undefined): void {
    if (row.staged === undefined) this.#staged.push(row)
    row.staged = value ?? DELETED
  }

  discard(): void {
    for (const row of this.#staged) row.staged = undefined
    this.#staged = []
  }

  /** Returns what reverts the next `commit`. */
  undo(): LatestUndo {
    return this.#staged.map((row) => ({ row, committed: row.committed }))
  }

  /** Reverts the latest commit and discards what is staged. */
  revert(undo: LatestUndo): void {
    this.discard()
    for (const { row, committed } of undo) {
      row.committed = committed
      if (committed === undefined) this.#pending--
    }
  }

  commit(): void {
    for (const row of this.#staged) {
      if (row.committed === undefined) this.#pending++
      row.committed = row.staged
    }
    this.discard()
  }

  /**
   * Writes the committed rows in key order. Call it in a transaction.
   * @param note - Called with each row on disk before it is replaced; the key is valid only during the call.
   */
  flush(note: (key: Uint8Array, old: Uint8Array | undefined) => void): void {
    const rows: LatestRow[] = []
    for (const row of this.#rows.values()) if (row.committed !== undefined) rows.push(row)
    let bytes = Buffer.alloc(0)
    for (const { key, stored, committed } of inOrder(rows)) {
      if (bytes.length !== key.length) bytes = Buffer.alloc(key.length)
      latin1Write.call(bytes, key, 0, key.length)
      note(bytes, stored.length === 0 ? undefined : stored)
      if (committed === undefined || committed.length === 0) this.#stored.remove(bytes)
      else this.#stored.put(bytes, committed)
    }
  }

  /** Drops the committed rows after they are on disk. Nothing may be staged. */
  forget(): void {
    this.#rows.clear()
    this.#pending = 0
  }
}

/** Sorts rows by key, with a radix sort if all keys have the same length. */
function inOrder(rows: LatestRow[]): LatestRow[] {
  const width = rows[0]?.key.length ?? 0
  if (rows.some(({ key }) => key.length !== width)) {
    return rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  }
  const keys = Buffer.alloc(rows.length * width)
  for (const [i, { key }] of rows.entries()) latin1Write.call(keys, key, i * width, width)
  return Array.from(sortPacked(keys, width), (row) => rows[row] as LatestRow)
}
