import type { PricedResource } from '../protocol/terms.ts'
import type { Placed } from './resource-map.ts'
import type { ResourceSource } from './resource-source.ts'

/** A resource with its price, and where it comes from. */
export interface SoldResource extends Placed {
  readonly priced: PricedResource
  /** HTTP methods that it is sold under; HEAD comes with GET. */
  readonly methods: readonly string[]
  readonly source: ResourceSource
}
