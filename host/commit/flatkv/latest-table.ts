import type { LmdbTable } from '../../store/lmdb/lmdb-env.ts'

const DELETED = new Uint8Array(0)

const { latin1Slice } = Buffer.prototype

/** A key of a Map: one character a byte, in the same order as the bytes. */
function mapKey(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length)
}

/** The rows and keys that a commit changed, as they were before it. */
export interface LatestUndo {
  readonly committed: ReadonlyMap<string, Uint8Array | undefined>
  readonly replaced: readonly string[]
}

/**
 * The newest row of each key, in three layers: what is staged, what is committed and not flushed, and
 * what is on disk. No row is empty: an empty one stands for a deleted key.
 */
export class LatestTable {
  readonly #rows: LmdbTable
  readonly #committed = new Map<string, Uint8Array>()
  /** The rows on disk of the keys that are committed. */
  readonly #replaced = new Map<string, Uint8Array>()
  #staged = new Map<string, Uint8Array>()
  /** The rows on disk of the keys that are staged and not committed. */
  #stagedOver = new Map<string, Uint8Array>()

  constructor(rows: LmdbTable) {
    this.#rows = rows
  }

  /** Rows committed and not flushed. */
  get pendingRows(): number {
    return this.#committed.size
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const id = mapKey(key)
    const pending = this.#staged.get(id) ?? this.#committed.get(id)
    if (pending === undefined) return this.#rows.get(key)
    return pending.length === 0 ? undefined : pending
  }

  /** Keys that begin with `prefix`, in no order. */
  prefixed(prefix: Uint8Array): Uint8Array[] {
    const start = mapKey(prefix)
    const found = new Map<string, Uint8Array>()
    for (const { key } of this.#rows.range({ start: prefix })) {
      const id = mapKey(key)
      if (!id.startsWith(start)) break
      found.set(id, key)
    }
    for (const layer of [this.#committed, this.#staged]) {
      for (const [id, row] of layer) {
        if (!id.startsWith(start)) continue
        if (row.length === 0) found.delete(id)
        else found.set(id, Buffer.from(id, 'latin1'))
      }
    }
    return [...found.values()]
  }

  /** @param old what `get` has of the key */
  stage(key: Uint8Array, row: Uint8Array | undefined, old: Uint8Array | undefined): void {
    const id = mapKey(key)
    if (!this.#staged.has(id) && !this.#committed.has(id)) {
      this.#stagedOver.set(id, old ?? DELETED)
    }
    this.#staged.set(id, row ?? DELETED)
  }

  discard(): void {
    if (this.#staged.size === 0) return
    this.#staged = new Map()
    this.#stagedOver = new Map()
  }

  /** What takes the next `commit` back. */
  undo(): LatestUndo {
    const committed = new Map<string, Uint8Array | undefined>()
    for (const key of this.#staged.keys()) committed.set(key, this.#committed.get(key))
    return { committed, replaced: [...this.#stagedOver.keys()] }
  }

  /** Takes the newest commit back; what is staged is given up. */
  takeBack({ committed, replaced }: LatestUndo): void {
    this.discard()
    for (const [key, row] of committed) {
      if (row === undefined) this.#committed.delete(key)
      else this.#committed.set(key, row)
    }
    for (const key of replaced) this.#replaced.delete(key)
  }

  commit(): void {
    for (const [key, row] of this.#staged) this.#committed.set(key, row)
    for (const [key, old] of this.#stagedOver) this.#replaced.set(key, old)
    this.discard()
  }

  /**
   * Writes the committed rows, in key order; inside a transaction.
   * @param note told of each row on disk before it is replaced
   */
  flush(note: (key: Uint8Array, old: Uint8Array | undefined) => void): void {
    for (const id of [...this.#committed.keys()].sort()) {
      const row = this.#committed.get(id) as Uint8Array
      const key = Buffer.from(id, 'latin1')
      const old = this.#replaced.get(id) as Uint8Array
      note(key, old.length === 0 ? undefined : old)
      if (row.length === 0) this.#rows.remove(key)
      else this.#rows.put(key, row)
    }
  }

  /** Forgets the committed rows, once they are on disk. */
  forget(): void {
    this.#committed.clear()
    this.#replaced.clear()
  }
}
