import type { PricedResource } from '../protocol/terms.ts'
import type { PathResource } from './resource-map.ts'
import type { ResourceSource } from './resource-source.ts'

/** A priced resource and its source. */
export interface SoldResource extends PathResource {
  readonly priced: PricedResource
  /** HTTP methods it is sold under; HEAD is implied by GET. */
  readonly methods: readonly string[]
  readonly source: ResourceSource
}
