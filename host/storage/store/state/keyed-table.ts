import { decodeOrderedPart, encodeOrderedKey } from '../codec/ordered-key.ts'
import type { VersionBounds } from './height-bounds.ts'
import { KeyedPoints } from './keyed-points.ts'
import type { VersionedTable } from './versioned-table.ts'

export interface KeyValue {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

export interface RangeOptions {
  readonly height: number
  /** First key, included. Default: the lowest. */
  readonly start?: Uint8Array
  /** End key, excluded. Default: none. */
  readonly end?: Uint8Array
  readonly reverse?: boolean
}

/** One module's keys in a versioned table, with ordered reads. */
export class KeyedTable extends KeyedPoints {
  readonly #rows: VersionedTable
  /** First and last encoded key of the module, both exclusive. */
  readonly #first: Uint8Array
  readonly #last: Uint8Array

  constructor(table: VersionedTable, module: string, bounds: VersionBounds) {
    super(table, module, bounds)
    this.#rows = table
    this.#first = encodeOrderedKey(this.module)
    this.#last = this.#first.slice()
    this.#last[this.#last.length - 1] = (this.#first.at(-1) as number) + 1
  }

  *range(options: RangeOptions): Generator<KeyValue, void> {
    const { height, start, end, reverse = false } = options
    this.bounds.check(height)
    const from = start === undefined ? this.#first : encodeOrderedKey(this.module, start)
    const to = end === undefined ? this.#last : encodeOrderedKey(this.module, end)
    for (const encoded of this.#rows.keys(from, to, reverse)) {
      // The prune height may have passed the height since the previous row.
      if (height < this.bounds.earliest) this.bounds.check(height)
      const value = this.find(encoded, height)
      if (value !== undefined) yield { key: decodeOrderedPart(encoded, this.#first.length), value }
    }
  }
}
