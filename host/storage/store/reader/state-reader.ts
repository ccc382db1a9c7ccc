import type { StateView } from '../../../evm/state/view.ts'
import { EvmTables } from '../state/evm-tables.ts'
import { checkHeight, type VersionBounds } from '../state/height-bounds.ts'
import { HeightView } from '../state/height-view.ts'
import { KeyedPoints } from '../state/keyed-points.ts'
import { TABLES, type TableName } from '../state/table-rows.ts'
import { SharedTable } from './shared-table.ts'
import type { StateDelta } from './storage-delta.ts'

/**
 * The state that the main thread writes, read on another thread: at every retained height up to the last delta taken.
 */
export class StateReader implements VersionBounds {
  readonly #tables: ReadonlyMap<TableName, SharedTable>
  readonly #evm: EvmTables
  readonly #modules = new Map<string, KeyedPoints>()
  #earliest = -1
  #latest = -1
  #firstWithEvm = -1
  #evmWholeFrom = -1
  /** True if all tables were readable after the last delta taken, the only point at which it changes. */
  #isReadable = false

  constructor() {
    this.#tables = new Map(TABLES.map((name) => [name, new SharedTable()]))
    this.#evm = new EvmTables((name) => this.#table(name), this)
  }

  get earliest(): number {
    return this.#earliest
  }

  get latest(): number {
    return this.#latest
  }

  get firstWithEvm(): number {
    return this.#firstWithEvm
  }

  get evmWholeFrom(): number {
    return this.#evmWholeFrom
  }

  /** Applies the changes since the previous delta. */
  take(edition: StateDelta): void {
    const { earliest, latest, firstWithEvm, evmWholeFrom, tables, number, taken } = edition
    this.#earliest = earliest
    this.#latest = latest
    this.#firstWithEvm = firstWithEvm
    this.#evmWholeFrom = evmWholeFrom
    for (const table of tables) this.#table(table.table).take(table)
    // A file that could not be opened now never will be: later lists name the existing ones.
    Atomics.store(new Int32Array(taken), 0, number)
    this.#isReadable = [...this.#tables.values()].every(({ isReadable }) => isReadable)
  }

  /**
   * Returns the state after block `height`, or undefined if this thread cannot read it because no delta with all its
   * files was taken.
   * @param blockHash - Hash of a block at or below `height`.
   */
  view(
    height: number,
    blockHash: (number: number) => Uint8Array | undefined,
  ): StateView | undefined {
    // Below it some heights may lack EVM data, which only the main thread can tell.
    if (height > this.#latest || height < this.#evmWholeFrom) return undefined
    if (!this.#isReadable) return undefined
    return new HeightView(this.#evm, (name) => this.#module(name), blockHash, height)
  }

  /**
   * Returns the value of an EVM `legacy` row after block `height`, in an object, or undefined if it cannot be read
   * here.
   */
  legacy(key: Uint8Array, height: number): { readonly value: Uint8Array | undefined } | undefined {
    if (height > this.#latest || height < this.#evmWholeFrom) return undefined
    return this.#isReadable ? { value: this.#evm.legacy.get(key, height) } : undefined
  }

  /** @throws STATE_PRUNED, NOT_FOUND */
  check(height: number): void {
    checkHeight(height, this.#earliest, this.#latest)
  }

  close(): void {
    for (const table of this.#tables.values()) table.close()
  }

  #module(name: string): KeyedPoints {
    const known = this.#modules.get(name)
    if (known !== undefined) return known
    const store = new KeyedPoints(this.#table('modules'), name, this)
    this.#modules.set(name, store)
    return store
  }

  #table(name: TableName): SharedTable {
    return this.#tables.get(name) as SharedTable
  }
}
