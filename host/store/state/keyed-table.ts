import { LockstepError } from '../../base/error.ts'
import { decodeOrderedPart, encodeOrderedKey } from '../codec/ordered-key.ts'
import type { KeyValue, RangeOptions, RangeStore } from './range-store.ts'
import { decodeLive } from './table-rows.ts'
import type { VersionedTable } from './versioned-table.ts'

const TEXT_ENCODER = new TextEncoder()

/** The heights of the store around a keyed table. */
export interface VersionBounds {
  readonly earliest: number
  readonly latest: number
  /** @throws STATE_PRUNED, NOT_FOUND unless `height` is between the two. */
  check(height: number): void
}

/** One module's keys of any length and values of any length (empty ones too) in a versioned table. */
export class KeyedTable implements RangeStore {
  readonly #table: VersionedTable
  readonly #bounds: VersionBounds
  readonly #module: Uint8Array
  /** First and last encoded key of the module; both bounds lie outside. */
  readonly #first: Uint8Array
  readonly #last: Uint8Array

  constructor(table: VersionedTable, module: string, bounds: VersionBounds) {
    this.#table = table
    this.#bounds = bounds
    this.#module = TEXT_ENCODER.encode(module)
    this.#first = encodeOrderedKey(this.#module)
    this.#last = this.#first.slice()
    this.#last[this.#last.length - 1] = (this.#first.at(-1) as number) + 1
  }

  get earliest(): number {
    return this.#bounds.earliest
  }

  get latest(): number {
    return this.#bounds.latest
  }

  /** The key of the row of `key`. @throws INVALID_ARGUMENT when it is empty or too long. */
  encodeKey(key: Uint8Array): Uint8Array {
    if (key.length === 0) throw new LockstepError('INVALID_ARGUMENT', 'store key is empty')
    return encodeOrderedKey(this.#module, key)
  }

  get(key: Uint8Array, height: number): Uint8Array | undefined {
    this.#bounds.check(height)
    return this.#find(this.encodeKey(key), height)
  }

  has(key: Uint8Array, height: number): boolean {
    return this.get(key, height) !== undefined
  }

  *range(options: RangeOptions): Generator<KeyValue, void> {
    const { height, start, end, reverse = false } = options
    this.#bounds.check(height)
    const from = start === undefined ? this.#first : encodeOrderedKey(this.#module, start)
    const to = end === undefined ? this.#last : encodeOrderedKey(this.#module, end)
    for (const encoded of this.#table.keys(from, to, reverse)) {
      // The prune height may have passed the height since the row before.
      if (height < this.#bounds.earliest) this.#bounds.check(height)
      const value = this.#find(encoded, height)
      if (value !== undefined) yield { key: decodeOrderedPart(encoded, this.#first.length), value }
    }
  }

  #find(encoded: Uint8Array, height: number): Uint8Array | undefined {
    const version = this.#table.find(encoded, height)
    return version === undefined ? undefined : decodeLive(version.value)
  }
}
