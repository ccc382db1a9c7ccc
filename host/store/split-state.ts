import { LockstepError } from '../base/error.ts'
import type { Changeset } from '../state/changeset.ts'
import type { StateView } from '../state/view.ts'
import type { ChainStore } from './chain-store.ts'
import { EvmTables } from './evm-tables.ts'
import { HeightView } from './height-view.ts'
import { KeyedTable, type VersionBounds } from './keyed-table.ts'
import type { RangeStore } from './range-store.ts'
import type { SplitMembers } from './split.ts'
import type { StateStore } from './state-store.ts'
import { VersionedTable } from './versioned-table.ts'

/** Marker of the general member: the newest height whose EVM data it holds as well. */
const EVM_MARKER = 'evm_latest'

/** The state store over both members: EVM data to one, the modules to the other, no fallback. */
export class SplitState implements StateStore, VersionBounds {
  readonly #members: SplitMembers
  readonly #chain: ChainStore
  readonly #evm: EvmTables
  readonly #modules: VersionedTable
  readonly #byName = new Map<string, KeyedTable>()
  /** Lowest height without EVM data, where the split was on for a while and is now off. */
  readonly missingFrom: number | undefined
  #earliest: number
  #latest: number

  constructor(members: SplitMembers, chain: ChainStore) {
    const { general } = members
    this.#members = members
    this.#chain = chain
    this.#modules = general.add(new VersionedTable(general.env, 'modules'))
    this.#evm = new EvmTables(members.memberOf, this)
    const held = general.marker(EVM_MARKER)
    const isMissing = members.evm.length === 0 && held < general.latest
    this.missingFrom = isMissing ? held + 1 : undefined
    this.#earliest = Math.max(general.earliest, ...members.evm.map((member) => member.earliest))
    this.#latest = Math.min(general.latest, ...members.evm.map((member) => member.latest))
  }

  get earliest(): number {
    return this.#earliest
  }

  get latest(): number {
    return this.#latest
  }

  /** Keys in memory: what a flush would write. */
  get pendingKeys(): number {
    let keys = this.#modules.pendingKeys
    for (const table of this.#evm.tables) keys += table.pendingKeys
    return keys
  }

  view(height: number): StateView {
    this.#checkEvm(height)
    return new HeightView(this.#evm, this.#chain, height)
  }

  legacy(key: Uint8Array, height: number): Uint8Array | undefined {
    this.#checkEvm(height)
    return this.#evm.legacy.get(key, height)
  }

  module(name: string): RangeStore {
    return this.#module(name)
  }

  check(height: number): void {
    const bounds = { requested: height, earliest: this.#earliest, latest: this.#latest }
    if (height > this.#latest) {
      throw new LockstepError(
        'NOT_FOUND',
        `requested height ${height} is not yet available; safe latest is ${this.#latest}`,
        { data: bounds },
      )
    }
    if (height < this.#earliest) {
      throw new LockstepError(
        'STATE_PRUNED',
        `requested height ${height} has been pruned; earliest available is ${this.#earliest}`,
        { data: bounds },
      )
    }
  }

  /** Checks that every key fits. @throws INVALID_ARGUMENT */
  checkKeys(changeset: Changeset): void {
    this.#evm.check(changeset)
    for (const { module, writes } of changeset.modules) {
      for (const { key } of writes) this.#module(module).encodeKey(key)
    }
  }

  apply(changeset: Changeset): void {
    const { height } = changeset
    if (height <= this.#latest) return
    this.#evm.apply(changeset)
    for (const { module, writes } of changeset.modules) {
      for (const { key, value } of writes) this.#module(module).apply(height, key, value)
    }
    if (this.#earliest < 0) this.#earliest = height
    this.#latest = height
  }

  /**
   * Writes everything pending up to `height`. The EVM member comes first: a general member with
   * history beside an empty EVM member is what safety check 2 refuses.
   */
  async flush(height: number): Promise<void> {
    const { general, evm } = this.#members
    for (const member of evm) await member.flush(this.#earliest, height)
    const holdsEvm = evm.length === 0 && this.missingFrom === undefined
    await general.flush(this.#earliest, height, holdsEvm ? [EVM_MARKER] : [])
  }

  forget(height: number): void {
    for (const member of [...this.#members.evm, this.#members.general]) member.forget(height)
  }

  /** Raises the floor of both members. */
  raise(floor: number): void {
    for (const member of [...this.#members.evm, this.#members.general]) member.raise(floor)
    if (this.#earliest < floor) this.#earliest = floor
  }

  /** Removes a slice of the rows below the floor from each table. */
  prune(): void {
    this.#modules.prune(this.#earliest)
    for (const table of this.#evm.tables) table.prune(this.#earliest)
  }

  #module(name: string): KeyedTable {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const table = new KeyedTable(this.#modules, name, this)
    this.#byName.set(name, table)
    return table
  }

  #checkEvm(height: number): void {
    this.check(height)
    if (this.missingFrom !== undefined && height >= this.missingFrom) {
      throw new LockstepError(
        'NOT_FOUND',
        `EVM state of height ${height} is missing: from height ${this.missingFrom} on it was written ` +
          'while evm-ss-split was true',
        { hint: 'set evm-ss-split = true again, or state sync with evm-ss-split = false' },
      )
    }
  }
}
