import { LockstepError } from '../../../base/error.ts'
import type { KeyValue, PointStore, RangeOptions, RangeStore } from './range-store.ts'

/**
 * The store named `evm`, read like a module: the EVM's rows of no other kind, one at a time. Its error texts are
 * upstream's, verbatim.
 */
export class EvmModule implements RangeStore {
  readonly #rows: PointStore

  constructor(rows: PointStore) {
    this.#rows = rows
  }

  get earliest(): number {
    return this.#rows.earliest
  }

  get latest(): number {
    return this.#rows.latest
  }

  get(key: Uint8Array, height: number): Uint8Array | undefined {
    return this.#rows.get(key, height)
  }

  has(key: Uint8Array, height: number): boolean {
    return this.#rows.has(key, height)
  }

  /** @throws UNSUPPORTED always: EVM data has no order across its kinds. */
  range({ reverse = false }: RangeOptions): Iterable<KeyValue> {
    throw new LockstepError(
      'UNSUPPORTED',
      `EVMStateStore: cross-type ${reverse ? 'reverse ' : ''}iteration not supported; use Cosmos_SS`,
    )
  }
}
