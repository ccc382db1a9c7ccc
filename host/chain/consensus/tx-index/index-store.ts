import { decodeHeight, encodeHeight } from '../../../storage/store/codec/ordered-key.ts'
import { LmdbEnv, type LmdbTable } from '../../../storage/store/lmdb/lmdb-env.ts'
import { visitRows } from './block-rows.ts'
import type { IndexBlock } from './index-block.ts'
import {
  decodePlace,
  type IndexedPosition,
  itemRange,
  type RowKind,
  SECTION,
  sectionStart,
} from './index-rows.ts'

const NOTHING = new Uint8Array(0)
const NEWEST = Buffer.from('newest')

/** Rows deleted per transaction: about ten milliseconds. */
const REMOVED_ROWS = 2048

/** The latest indexed block. */
export interface LatestIndexed {
  /** -1 if the index is empty. */
  readonly height: number
  readonly hash: Uint8Array
}

export const NOTHING_INDEXED: LatestIndexed = { height: -1, hash: NOTHING }

/**
 * Index of transactions by SHA-256, sender and recipient: `data/event_index.db`. Rows and latest height are written
 * together, so that indexing resumes correctly after a crash. The index can be rebuilt from the blocks.
 */
export class IndexStore {
  readonly #env: LmdbEnv
  readonly #rows: LmdbTable
  readonly #markers: LmdbTable

  /** @throws STORE_CORRUPTED, STORE_FULL, also from reads and writes */
  constructor(dir: string, options: { readonly isShared?: boolean } = {}) {
    this.#env = new LmdbEnv(dir, { ...options, tables: ['rows', 'markers'] })
    this.#rows = this.#env.table('rows')
    this.#markers = this.#env.table('markers')
  }

  get newest(): LatestIndexed {
    const marker = this.#markers.get(NEWEST)
    return marker === undefined
      ? NOTHING_INDEXED
      : { height: decodeHeight(marker), hash: marker.subarray(8) }
  }

  /** Adds blocks in order after the latest one. */
  add(blocks: readonly IndexBlock[]): void {
    const last = blocks.at(-1)
    if (last === undefined) return
    this.#env.write(() => {
      visitRows(blocks, (key) => this.#rows.put(key, NOTHING))
      this.#mark(last)
    })
  }

  /** Removes the latest blocks as far as they are indexed; `newest` becomes the latest. */
  remove(blocks: readonly IndexBlock[], newest: LatestIndexed): void {
    this.#env.write(() => {
      visitRows(blocks, (key) => this.#rows.remove(key))
      if (newest.height < 0) this.#markers.remove(NEWEST)
      else this.#mark(newest)
    })
  }

  #mark({ height, hash }: LatestIndexed): void {
    this.#markers.put(NEWEST, Buffer.concat([encodeHeight(height), hash]))
  }

  /**
   * Yields the positions of an item at heights `from` to `to`, ascending. A hash may also match others with the same
   * prefix.
   */
  *places(
    kind: RowKind,
    item: Uint8Array,
    from: number,
    to: number,
  ): Generator<IndexedPosition, void> {
    const last = Math.floor(to / SECTION)
    for (let section = Math.floor(from / SECTION); section <= last; section++) {
      for (const { key } of this.#rows.range(itemRange(section, kind, item))) {
        const place = decodePlace(key)
        if (place.height >= from && place.height <= to) yield place
      }
    }
  }

  /** Deletes some rows of sections that end below `height`. Returns true if none are left. */
  prune(height: number): boolean {
    const end = sectionStart(Math.floor(height / SECTION))
    return this.#remove({ start: sectionStart(0), end })
  }

  /** Removes all rows. */
  clear(): void {
    this.#env.write(() => this.#markers.remove(NEWEST))
    while (!this.#remove({ start: sectionStart(0) }));
  }

  #remove(range: { readonly start: Uint8Array; readonly end?: Uint8Array }): boolean {
    const dead: Uint8Array[] = []
    for (const { key } of this.#rows.range({ ...range, limit: REMOVED_ROWS })) dead.push(key)
    if (dead.length > 0) {
      this.#env.write(() => {
        for (const key of dead) this.#rows.remove(key)
      })
    }
    return dead.length < REMOVED_ROWS
  }

  /** Makes the thread's writes visible. */
  refresh(): void {
    this.#env.refresh()
  }

  close(): Promise<void> {
    return this.#env.close()
  }
}
