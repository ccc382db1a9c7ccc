import { MemoryEditions } from '../../table/memory-edition.ts'
import type { Segment } from '../../table/segment.ts'
import { SegmentTable } from '../../table/segment-table.ts'
import type { SplitState } from '../state/split-state.ts'
import type { TableName } from '../state/table-rows.ts'
import type { VersionedTable } from '../state/versioned-table.ts'
import type { StateEdition, TableEdition } from './state-edition.ts'

/** Takes editions to one reader, in their order. */
export type SendEdition = (edition: StateEdition) => void

/** What all readers of one publisher were told. */
class ToldTables {
  readonly #memory = new MemoryEditions()
  readonly #segments = new Map<TableName, readonly Segment[]>()

  edition(state: SplitState): StateEdition {
    const tables = Array.from(state.tables, ([name, table]) => this.#table(name, table))
    return { earliest: state.earliest, latest: state.latest, tables }
  }

  #table(table: TableName, { since, memory, stored }: VersionedTable): TableEdition {
    const edition = { table, since, memory: this.#memory.next(memory) }
    const { segments } = stored as SegmentTable
    if (this.#segments.get(table) === segments) return edition
    this.#segments.set(table, segments)
    return { ...edition, segments: segments.map(({ shared }) => shared) }
  }
}

/**
 * Lets other threads read the state by themselves: rows in memory lie in memory that all threads share, those on disk
 * in files that each opens. An edition says which, once its block is on disk. Nothing is reused: what an edition names
 * is there for as long as a reader holds it.
 */
export class StatePublisher {
  readonly #state: SplitState
  readonly #readers = new Set<{ readonly send: SendEdition; readonly told: ToldTables }>()

  constructor(state: SplitState) {
    this.#state = state
  }

  /** True where the state lies in files that any thread may open. */
  static canPublish(state: SplitState): boolean {
    return [...state.tables.values()].every(({ stored }) => stored instanceof SegmentTable)
  }

  /** Sends all of the state now, and what comes from then on. @returns what ends that */
  attach(send: SendEdition): () => void {
    const reader = { send, told: new ToldTables() }
    this.#readers.add(reader)
    send(reader.told.edition(this.#state))
    return () => {
      this.#readers.delete(reader)
    }
  }

  /** Called in the turn in which reads of this thread see another block. */
  publish(): void {
    for (const { send, told } of this.#readers) send(told.edition(this.#state))
  }
}
