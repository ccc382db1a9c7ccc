/**
 * Versioned point reads: the latest value written at or below a height. It has no iteration, so iterating a store for
 * point reads only (EVM state) does not compile.
 */
export interface PointStore {
  /** Lowest height for reads. */
  readonly earliest: number
  /** Height of the latest changeset applied. */
  readonly latest: number
  /** Returns the value at `height`, or undefined if the key was never written or is deleted. */
  get(key: Uint8Array, height: number): Uint8Array | undefined
  has(key: Uint8Array, height: number): boolean
}

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

/** Versioned reads with iteration in key order: the stores of the general modules. */
export interface RangeStore extends PointStore {
  range(options: RangeOptions): Iterable<KeyValue>
}
