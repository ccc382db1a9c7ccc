import type { Changeset } from '../../../evm/state/changeset.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { KeyedTable } from './keyed-table.ts'

/** EVM state at every retained height, read-only. */
export interface StateReads {
  /** Lowest height that can be read: the higher of the members' prune heights. */
  readonly earliest: number
  readonly latest: number
  /** Lowest height whose EVM state can be read: `earliest`, unless that state is in a member that is off now. */
  readonly firstWithEvm: number
  /** Lowest height from which on the EVM state of every height up to the latest can be read. */
  readonly evmWholeFrom: number
  /**
   * Returns the EVM state after block `height`.
   * @throws STATE_PRUNED below `earliest` (data: requested, earliest, latest), NOT_FOUND above `latest`.
   */
  view(height: number): StateView
  /** Returns the value of an EVM `legacy` row (base fee, ...) after block `height`. */
  legacy(key: Uint8Array, height: number): Uint8Array | undefined
}

/** State at every retained height, over both members of the split. */
export interface StateStore extends StateReads {
  /** Returns the store of one general module. */
  module(name: string): KeyedTable
  /** Applies one block; a height already applied changes nothing. */
  apply(changeset: Changeset): void
}
