import { storeOf } from '../../../evm/chain-types/chain-precompile.ts'
import { BLOCK_HASH_COUNT, type StateView } from '../../../evm/state/view.ts'
import type { EvmTables } from './evm-tables.ts'
import type { KeyedPoints } from './keyed-points.ts'

/** EVM state after one height. */
export class HeightView implements StateView {
  readonly #tables: EvmTables
  readonly #module: (name: string) => KeyedPoints
  readonly #blockHash: (number: number) => Uint8Array | undefined
  readonly height: number

  constructor(
    tables: EvmTables,
    module: (name: string) => KeyedPoints,
    blockHash: (number: number) => Uint8Array | undefined,
    height: number,
  ) {
    this.#tables = tables
    this.#module = module
    this.#blockHash = blockHash
    this.height = height
  }

  account(address: Uint8Array): Uint8Array | undefined {
    return this.#tables.account(address, this.height)
  }

  /** Slots of the chain's precompiles are rows of their modules, if the chain has modules. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const store = storeOf(address)
    const row = store === undefined ? undefined : this.#module(store).get(slot, this.height)
    if (row !== undefined) return row
    return this.#tables.storage(address, slot, this.height)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#tables.code(codeHash, this.height)
  }

  blockHash(number: number): Uint8Array | undefined {
    if (number > this.height || number <= this.height - BLOCK_HASH_COUNT) return undefined
    return this.#blockHash(number)
  }
}
