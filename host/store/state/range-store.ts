import type { PointStore } from './point-store.ts'

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
