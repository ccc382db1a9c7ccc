import { LockstepError } from '../../../base/error.ts'
import type { Changeset } from '../../../evm/state/changeset.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { WrittenKeys } from '../../../evm/state/written-keys.ts'
import type { ChainStore } from '../chain/chain-store.ts'
import type { BaseState } from './base-state.ts'
import {
  EVM_GAP_MARKER,
  EVM_MARKER,
  EVM_SINCE_MARKER,
  type EvmGap,
  firstWithEvm,
  markersAt,
  readGap,
  wholeFrom,
} from './evm-gap.ts'
import { EvmTables } from './evm-tables.ts'
import { checkHeight, type VersionBounds } from './height-bounds.ts'
import { HeightView } from './height-view.ts'
import { KeyedTable } from './keyed-table.ts'
import type { SplitMembers } from './split.ts'
import type { FlushRequest, StateBackend, StateDatabase } from './state-backend.ts'
import type { StateStore } from './state-store.ts'
import {
  ADDRESS_BYTES,
  type RowSink,
  STORAGE_KEY_BYTES,
  TABLES,
  type TableName,
  writeRows,
} from './table-rows.ts'
import { VersionedTable } from './versioned-table.ts'

/** The size of a table, and the bytes written for it since it was opened. */
export interface TableFigures {
  readonly member: 'general' | 'evm'
  readonly table: TableName
  /** Versions on disk. */
  readonly rows: number
  readonly bytes: number
  /** Bytes of rows that blocks wrote. */
  readonly logicalBytes: number
  /** Bytes written to disk for them, including compaction. */
  readonly writtenBytes: number
}

/** The state store over both members: EVM data goes to one, the modules to the other, without fallback. */
export class SplitState implements StateStore, VersionBounds {
  readonly #backend: StateBackend
  /** The EVM member's databases first, in the order of a flush. */
  readonly #databases: readonly StateDatabase[]
  readonly #general: StateDatabase
  readonly #chain: ChainStore
  readonly #base: BaseState | undefined
  readonly #tables: ReadonlyMap<TableName, VersionedTable>
  readonly #sink: RowSink
  readonly #evm: EvmTables
  readonly #byName = new Map<string, KeyedTable>()
  #gap: EvmGap | undefined
  #earliest: number
  #latest: number

  constructor(
    backend: StateBackend,
    { general, evm }: SplitMembers,
    chain: ChainStore,
    base?: BaseState,
  ) {
    this.#backend = backend
    this.#general = general
    this.#databases = [...evm, general]
    this.#chain = chain
    this.#base = base
    this.#tables = new Map(TABLES.map((name) => [name, this.#open(name)]))
    this.#sink = {
      packed: (name, rows) => this.#table(name).applyPacked(this.#latest, rows),
      row: (name, row) => this.#table(name).apply(this.#latest, row),
    }
    this.#evm = new EvmTables((name) => this.#table(name), this, base?.view)
    if (evm.length === 0) this.#gap = readGap(general)
    this.#hideBelow(this.#gap?.end ?? 0)
    this.#earliest = Math.max(...this.#databases.map((database) => database.earliest))
    this.#latest = Math.min(...this.#databases.map((database) => database.latest))
  }

  get earliest(): number {
    return this.#earliest
  }

  get latest(): number {
    return this.#latest
  }

  get firstWithEvm(): number {
    return firstWithEvm(this, this.#gap)
  }

  get evmWholeFrom(): number {
    return wholeFrom(this, this.#gap)
  }

  /** All versions of its rows, by table. */
  get tables(): ReadonlyMap<TableName, VersionedTable> {
    return this.#tables
  }

  /** Bytes in memory that a flush would write. */
  get pendingBytes(): number {
    let bytes = 0
    for (const { memory } of this.#tables.values()) bytes += memory.bytes
    return bytes
  }

  /** Heights without EVM data, if the split was on for a while and is now off. */
  get gap(): EvmGap | undefined {
    return this.#gap
  }

  /**
   * Ends the gap at the latest height, all of whose EVM data `load` writes to the general member. Until it is done,
   * and after a crash, the gap stays as it was.
   */
  async restoreEvm(load: (general: StateDatabase) => Promise<void>): Promise<void> {
    const gap = this.#gap
    if (gap === undefined || gap.end !== undefined) return
    const general = this.#general
    await load(general)
    general.setMarker(EVM_GAP_MARKER, gap.from)
    general.setMarker(EVM_SINCE_MARKER, this.#latest)
    general.setMarker(EVM_MARKER, this.#latest)
    this.#gap = { from: gap.from, end: this.#latest }
    this.#hideBelow(this.#latest)
  }

  figures(): TableFigures[] {
    return this.#databases.flatMap((database) =>
      database.tables.map((name) => {
        const { rows, bytes, bytesWritten } = database.table(name).size()
        return {
          member: database === this.#general ? ('general' as const) : ('evm' as const),
          table: name,
          rows,
          bytes,
          logicalBytes: this.#table(name).logicalBytes,
          writtenBytes: bytesWritten,
        }
      }),
    )
  }

  /** Keys of EVM state at any height, in order within a table. */
  get written(): WrittenKeys {
    const keys = (name: TableName, length: number) =>
      this.#table(name).keys(new Uint8Array(length), new Uint8Array(length + 1).fill(0xff), false)
    return {
      accounts: () => keys('account', ADDRESS_BYTES),
      slots: () => keys('storage', STORAGE_KEY_BYTES),
    }
  }

  view(height: number): StateView {
    this.#checkEvm(height)
    const module = (name: string) => this.module(name)
    return new HeightView(this.#evm, module, (number) => this.#blockHash(number), height)
  }

  #blockHash(number: number): Uint8Array | undefined {
    const base = this.#base
    if (base !== undefined && number < base.height) return base.view.blockHash(number)
    return this.#chain.header(number)?.hash
  }

  legacy(key: Uint8Array, height: number): Uint8Array | undefined {
    this.#checkEvm(height)
    return this.#evm.legacy.get(key, height)
  }

  module(name: string): KeyedTable {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const table = new KeyedTable(this.#table('modules'), name, this)
    this.#byName.set(name, table)
    return table
  }

  check(height: number): void {
    checkHeight(height, this.#earliest, this.#latest)
  }

  apply(changeset: Changeset): void {
    const { height } = changeset
    if (height <= this.#latest) return
    this.#latest = height
    if (this.#earliest < 0) this.#earliest = height
    writeRows(changeset, this.#sink)
  }

  /** Seals the current blocks: later ones are not part of the next flush. */
  seal(): void {
    for (const { memory } of this.#tables.values()) memory.seal()
  }

  /**
   * Writes the sealed blocks, up to `height`, which was the latest when they were sealed. The EVM member comes first:
   * safety check 2 refuses a general member with history beside an empty EVM member.
   */
  async flush(wal: FlushRequest['wal'], height: number): Promise<void> {
    const isWhole = this.#gap === undefined || this.#gap.end !== undefined
    const holdsEvm = this.#databases.length === 1 && isWhole
    await this.#backend.flush(this.#databases, {
      wal,
      first: this.#earliest,
      to: height,
      also: (database) => (database === this.#general && holdsEvm ? [EVM_MARKER] : []),
    })
    for (const { memory } of this.#tables.values()) memory.dropSealed()
  }

  /** Drops the rows above `height` from memory: reads no longer find those heights. */
  forgetAbove(height: number): void {
    this.#latest = Math.min(this.#latest, height)
    for (const table of this.#tables.values()) table.cut(height)
  }

  /** Removes the rows above `height` from the disk. No flush may be running. It can be repeated after a crash. */
  async cut(height: number): Promise<void> {
    // A running compaction would bring them back.
    await this.#backend.settle()
    for (const database of this.#databases) {
      if (database.latest <= height) continue
      const also = database === this.#general ? markersAt(database, height) : []
      await database.cut(height, also, () => {})
    }
    if (this.#databases.length === 1) this.#gap = readGap(this.#general)
    this.#hideBelow(this.#gap?.end ?? 0)
  }

  /** Raises the prune height of both members. */
  raise(pruneHeight: number): void {
    for (const database of this.#databases) database.raise(pruneHeight)
    if (this.#earliest < pruneHeight) this.#earliest = pruneHeight
  }

  #open(name: TableName): VersionedTable {
    const database = this.#databases.find(({ tables }) => tables.includes(name)) as StateDatabase
    return new VersionedTable(database.table(name))
  }

  #table(name: TableName): VersionedTable {
    return this.#tables.get(name) as VersionedTable
  }

  #hideBelow(since: number): void {
    for (const [name, table] of this.#tables) if (name !== 'modules') table.since = since
  }

  #checkEvm(height: number): void {
    const first = this.firstWithEvm
    checkHeight(height, height < this.#earliest ? first : this.#earliest, this.#latest)
    const gap = this.#gap
    if (gap === undefined || height < gap.from) return
    if (gap.end !== undefined && height >= gap.end) return
    const until = gap.end === undefined ? 'on' : `to ${gap.end - 1}`
    const behind = gap.end === undefined ? '' : `; available from height ${gap.end} on`
    throw new LockstepError(
      'NOT_FOUND',
      `EVM state of height ${height} is missing: from height ${gap.from} ${until} it was written while ` +
        `evm-ss-split was true${behind}`,
      {
        data: { requested: height, missingFrom: gap.from, availableFrom: gap.end },
        hint: 'set evm-ss-split = true again, or state sync with evm-ss-split = false',
      },
    )
  }
}
