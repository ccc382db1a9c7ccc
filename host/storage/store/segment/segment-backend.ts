import { planCompaction } from '../../table/compaction-plan.ts'
import type { Segment } from '../../table/segment.ts'
import { SharedFiles } from '../state/shared-files.ts'
import type { FlushRequest, StateBackend, StateDatabase } from '../state/state-backend.ts'
import type { TableName } from '../state/table-rows.ts'
import type { FlushOutput } from '../thread/store-messages.ts'
import type { StoreThread } from '../thread/store-thread.ts'
import { SegmentDatabase } from './segment-database.ts'

/** The default backend: segments written by a separate thread, listed by LMDB. */
export class SegmentBackend implements StateBackend {
  readonly shared = new SharedFiles()
  readonly #thread: StoreThread
  readonly #databases = new Set<SegmentDatabase>()
  readonly #onFailure: (thrown: unknown) => void
  #compacting: Promise<void> | undefined
  #isClosed = false

  /**
   * @param thread - Does the work; its owner must close it first.
   * @param onFailure - Called with the error for which compaction was abandoned.
   */
  constructor(thread: StoreThread, onFailure: (thrown: unknown) => void) {
    this.#thread = thread
    this.#onFailure = onFailure
  }

  async open(dir: string, tables: readonly TableName[]): Promise<StateDatabase> {
    const database = new SegmentDatabase(dir, tables, this.shared)
    this.#databases.add(database)
    return database
  }

  holds(dir: string): boolean {
    return SegmentDatabase.isIn(dir)
  }

  async flush(databases: readonly StateDatabase[], request: FlushRequest): Promise<void> {
    const { wal, first, to, also } = request
    const behind = databases
      .filter(({ latest }) => latest < to)
      .map((database) => this.#own(database))
    if (behind.length === 0) return
    // Records below the prune height are needed too: a database may lack them, and reads at that height see their
    // rows.
    const from = Math.min(...behind.map(({ latest }) => (latest < 0 ? first : latest + 1)))
    const records = []
    for (let height = from; height <= to; height++) {
      records.push(wal.location(height))
    }
    const outputs = behind.map((database) => outputsOf(database))
    const written = new Set(
      await this.#thread.run({ kind: 'flush', records, outputs: outputs.flat() }),
    )
    behind.forEach((database, i) => {
      const paths = (outputs[i] as readonly FlushOutput[])
        .map(({ path }) => path)
        .filter((path) => written.has(path))
      database.install(paths, first, to, also(database))
    })
    this.#startCompaction()
  }

  compactionBacklog(): number {
    let bytes = 0
    for (const database of this.#databases) {
      for (const table of database.tables) {
        for (const { summary } of planOf(database, table).inputs) bytes += summary.bytes
      }
    }
    return bytes
  }

  async settle(): Promise<void> {
    this.#startCompaction()
    await this.#compacting
  }

  /** Merges all segments of each table into one, without the rows that no read reaches. No block may arrive meanwhile. */
  async compact(): Promise<void> {
    await this.settle()
    for (const database of this.#databases) {
      for (const table of database.tables) {
        const { segments } = database.table(table)
        const isWorth = segments.some(
          ({ summary: { rows, keys, lowest } }) => rows > keys && lowest <= database.earliest,
        )
        if (segments.length < 2 && !isWorth) continue
        await this.#merge(database, table, { inputs: [...segments], isBottom: true })
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#compacting
    this.shared.close()
  }

  #own(database: StateDatabase): SegmentDatabase {
    if (database instanceof SegmentDatabase && this.#databases.has(database)) return database
    throw new TypeError(`database ${database.dir} was opened by another backend`)
  }

  #startCompaction(): void {
    if (this.#isClosed || this.#compacting !== undefined) return
    this.#compacting = this.#compact()
      .catch((thrown) => {
        if (!this.#isClosed) this.#onFailure(thrown)
      })
      .finally(() => {
        this.#compacting = undefined
      })
  }

  /** Compacts groups of segments until no table has any that are worth it. */
  async #compact(): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = true
      for (const database of this.#databases) {
        for (const table of database.tables) {
          if (this.#isClosed) return
          if (await this.#compactTable(database, table)) isDone = false
        }
      }
    }
  }

  async #compactTable(database: SegmentDatabase, table: TableName): Promise<boolean> {
    const plan = planOf(database, table)
    return plan.inputs.length > 0 && (await this.#merge(database, table, plan))
  }

  async #merge(
    database: SegmentDatabase,
    table: TableName,
    { inputs, isBottom }: CompactedSegments,
  ): Promise<boolean> {
    const path = database.newFile(table)
    const [written] = await this.#thread.run({
      kind: 'compact',
      inputs: inputs.map((segment) => segment.path),
      path,
      pruneHeight: database.earliest,
      isBottom,
    })
    if (this.#isClosed) return false
    database.replace(table, inputs, written)
    return true
  }
}

interface CompactedSegments {
  readonly inputs: readonly Segment[]
  /** True if no older segment lies below them. */
  readonly isBottom: boolean
}

/** Returns the next segments of a table to compact; none if no compaction is worth it. */
function planOf(database: SegmentDatabase, table: TableName): CompactedSegments {
  const { segments } = database.table(table)
  const plan = planCompaction(
    segments.map(({ summary }) => summary),
    database.earliest,
  )
  if (plan === undefined) return { inputs: [], isBottom: false }
  const end = plan.from + plan.count
  return { inputs: segments.slice(plan.from, end), isBottom: end === segments.length }
}

function outputsOf(database: SegmentDatabase): FlushOutput[] {
  return database.tables.map((table) => ({
    table,
    path: database.newFile(table),
    above: database.latest,
  }))
}
