import { decodeHeight, encodeHeight } from '../../storage/store/codec/ordered-key.ts'
import { LmdbEnv, type LmdbTable } from '../../storage/store/lmdb/lmdb-env.ts'
import {
  decodePlace,
  type IndexedPosition,
  itemRange,
  type RowKind,
  sectionOf,
  sectionStart,
  visitRows,
} from './hash-rows.ts'
import type { SourceBlock } from './source-block.ts'

const NOTHING = new Uint8Array(0)
const NEWEST = Buffer.from('newest')

/** Rows deleted per transaction: about ten milliseconds. */
const REMOVED_ROWS = 2048

/**
 * Transactions by SHA-256, sender and recipient: `data/event_index.db`. Rows and latest height are written together,
 * so that indexing resumes correctly after a crash. The rows can be rebuilt from the blocks.
 */
export class HashStore {
  readonly #env: LmdbEnv
  readonly #rows: LmdbTable
  readonly #markers: LmdbTable

  /** Rows of pruned blocks are not read, so every block up to the latest counts as indexed. */
  readonly earliest = 0

  /** @throws STORE_CORRUPTED, STORE_FULL, also from reads and writes */
  constructor(dir: string, options: { readonly isShared?: boolean } = {}) {
    this.#env = new LmdbEnv(dir, { ...options, tables: ['rows', 'markers'] })
    this.#rows = this.#env.table('rows')
    this.#markers = this.#env.table('markers')
  }

  /** Latest indexed height; -1 if none is indexed. */
  get latest(): number {
    const marker = this.#markers.get(NEWEST)
    return marker === undefined ? -1 : decodeHeight(marker)
  }

  /** Returns `from` unless it is the latest height and its block is not part of the chain; then -1. */
  latestOf(from: number, isOfChain: (height: number, hash: Uint8Array) => boolean): number {
    const marker = this.#markers.get(NEWEST)
    if (marker === undefined || decodeHeight(marker) !== from) return from
    return isOfChain(from, marker.subarray(8)) ? from : -1
  }

  /** Adds blocks in order after the latest one. */
  add(blocks: readonly SourceBlock[]): void {
    const last = blocks.at(-1)
    if (last === undefined) return
    this.#env.write(() => {
      visitRows(blocks, (key) => this.#rows.put(key, NOTHING))
      this.#mark(last.height, last.hash)
    })
  }

  /** Removes the blocks above `height`; `hash` is that of the block at `height`. Below 0, removes all rows. */
  cut(height: number, hash: Uint8Array): void {
    if (height < 0) {
      while (!this.#removeSome({}));
      // The marker goes last: after a crash the rest is still recognised as another chain's.
      this.#env.write(() => this.#markers.remove(NEWEST))
      return
    }
    if (this.latest <= height) return
    const dead: Uint8Array[] = []
    for (const { key } of this.#rows.range({ start: sectionStart(sectionOf(height + 1)) })) {
      if (decodePlace(key).height > height) dead.push(key)
    }
    this.#env.write(() => {
      for (const key of dead) this.#rows.remove(key)
      this.#mark(height, hash)
    })
  }

  /** Deletes some rows of sections that end below `height`. Returns true if none are left. */
  prune(height: number): boolean {
    return this.#removeSome({ end: sectionStart(sectionOf(Math.max(height, 0))) })
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
    for (let section = sectionOf(from); section <= sectionOf(to); section++) {
      for (const { key } of this.#rows.range(itemRange(section, kind, item))) {
        const place = decodePlace(key)
        if (place.height >= from && place.height <= to) yield place
      }
    }
  }

  /** Makes the worker's writes visible. */
  refresh(): void {
    this.#env.refresh()
  }

  close(): Promise<void> {
    return this.#env.close()
  }

  #mark(height: number, hash: Uint8Array): void {
    this.#markers.put(NEWEST, Buffer.concat([encodeHeight(height), hash]))
  }

  #removeSome(range: { readonly end?: Uint8Array }): boolean {
    const rows = this.#rows.range({ ...range, limit: REMOVED_ROWS })
    const dead = Array.from(rows, ({ key }) => key)
    if (dead.length > 0) {
      this.#env.write(() => {
        for (const key of dead) this.#rows.remove(key)
      })
    }
    return dead.length < REMOVED_ROWS
  }
}
