import { LockstepError } from '../../../base/error.ts'
import { encodeOrderedKey } from '../codec/ordered-key.ts'
import type { VersionBounds } from './height-bounds.ts'
import type { PointTable } from './point-table.ts'
import { decodeLive } from './table-rows.ts'

const TEXT_ENCODER = new TextEncoder()

/**
 * Point reads of one module's keys of any length in a table, with values of any length, including empty ones. It has no
 * iteration, so iterating a store for point reads only (EVM state) does not compile.
 */
export class KeyedPoints {
  /** The name of the module, which precedes each key. */
  protected readonly module: Uint8Array
  protected readonly bounds: VersionBounds
  readonly #table: PointTable

  constructor(table: PointTable, module: string, bounds: VersionBounds) {
    this.module = TEXT_ENCODER.encode(module)
    this.bounds = bounds
    this.#table = table
  }

  /** Returns the row key of `key`. @throws INVALID_ARGUMENT if it is empty or too long. */
  encodeKey(key: Uint8Array): Uint8Array {
    if (key.length === 0) throw new LockstepError('INVALID_ARGUMENT', 'store key is empty')
    return encodeOrderedKey(this.module, key)
  }

  /** Returns the value at `height`, or undefined if the key was never written or is deleted. */
  get(key: Uint8Array, height: number): Uint8Array | undefined {
    this.bounds.check(height)
    return this.find(this.encodeKey(key), height)
  }

  has(key: Uint8Array, height: number): boolean {
    return this.get(key, height) !== undefined
  }

  protected find(encoded: Uint8Array, height: number): Uint8Array | undefined {
    const version = this.#table.find(encoded, height)
    return version === undefined ? undefined : decodeLive(version.value)
  }
}
