/**
 * Versioned point reads: the newest value written at or below a height. It has no iteration, so that a
 * store kept for point reads alone (EVM state) cannot be iterated by mistake: it does not compile.
 */
export interface PointStore {
  /** Lowest height that reads answer for. */
  readonly earliest: number
  /** Height of the newest changeset applied. */
  readonly latest: number
  /** The value at `height`, or undefined where the key was never written or is deleted. */
  get(key: Uint8Array, height: number): Uint8Array | undefined
  has(key: Uint8Array, height: number): boolean
}

export interface KeyValue {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

export interface RangeOptions {
  readonly height: number
  /** First key, included; from the beginning when absent. */
  readonly start?: Uint8Array
  /** End key, excluded; to the end when absent. */
  readonly end?: Uint8Array
  readonly reverse?: boolean
}

/** Versioned reads with iteration in key order: the stores of the general modules. */
export interface RangeStore extends PointStore {
  range(options: RangeOptions): Iterable<KeyValue>
}
