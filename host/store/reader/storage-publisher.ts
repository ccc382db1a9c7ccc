import { MemoryEditions } from '../../table/memory-edition.ts'
import type { Segment } from '../../table/segment.ts'
import { SegmentTable } from '../../table/segment-table.ts'
import type { ChainDirs, LmdbChainStore } from '../chain/lmdb-chain-store.ts'
import { type BlockParts, shareParts } from '../codec/record-codec.ts'
import type { SplitState } from '../state/split-state.ts'
import type { TableName } from '../state/table-rows.ts'
import type { VersionedTable } from '../state/versioned-table.ts'
import type { ChainEdition, StateEdition, StorageEdition, TableEdition } from './storage-edition.ts'

/** What a reader was told of the tables of the state. */
class ToldTables {
  readonly #memory = new MemoryEditions()
  readonly #segments = new Map<TableName, readonly Segment[]>()

  edition(state: SplitState): StateEdition {
    const tables = Array.from(state.tables, ([name, table]) => this.#table(name, table))
    const { earliest, latest, firstWithEvm, evmWholeFrom } = state
    return { earliest, latest, firstWithEvm, evmWholeFrom, tables }
  }

  #table(table: TableName, { since, memory, stored }: VersionedTable): TableEdition {
    const edition = { table, since, memory: this.#memory.next(memory) }
    const { segments } = stored as SegmentTable
    if (this.#segments.get(table) === segments) return edition
    this.#segments.set(table, segments)
    return { ...edition, segments: segments.map(({ shared }) => shared) }
  }
}

/** A reader, told of further blocks. */
type Reader = (blocks: () => readonly BlockParts[]) => void

/**
 * Lets other threads read the storage by themselves. What is in memory lies in memory that all threads share, what is on
 * disk in files that each opens. An edition says which, once its block is on disk. Nothing is reused: what an
 * edition names is there for as long as a reader holds it.
 */
export class StoragePublisher {
  readonly #chain: LmdbChainStore
  readonly #state: SplitState
  readonly #readers = new Set<Reader>()

  constructor(chain: LmdbChainStore, state: SplitState) {
    this.#chain = chain
    this.#state = state
  }

  /** The databases that readers open for blocks. */
  get dirs(): ChainDirs {
    return this.#chain.dirs
  }

  /** True where the state lies in files that any thread may open. */
  static canPublish(state: SplitState): boolean {
    return [...state.tables.values()].every(({ stored }) => stored instanceof SegmentTable)
  }

  /** Sends the state now, and what comes to it from then on. @returns what ends that */
  attachState(send: (edition: StateEdition) => void): () => void {
    const told = new ToldTables()
    return this.#attach(() => send(told.edition(this.#state)))
  }

  /** Sends the blocks that are not in the databases yet and the state now, and what comes from then on. @returns what ends that */
  attach(send: (edition: StorageEdition) => void): () => void {
    const told = new ToldTables()
    return this.#attach((blocks) =>
      send({ chain: this.#chainEdition(blocks()), state: told.edition(this.#state) }),
    )
  }

  /** Called in the turn in which reads of this thread see another block. */
  publish(parts: BlockParts): void {
    let shared: readonly BlockParts[] | undefined
    const blocks = () => {
      shared ??= [shareParts(parts)]
      return shared
    }
    for (const reader of this.#readers) reader(blocks)
  }

  #attach(reader: Reader): () => void {
    reader(() => Array.from(this.#chain.waiting(), shareParts))
    this.#readers.add(reader)
    return () => {
      this.#readers.delete(reader)
    }
  }

  #chainEdition(blocks: readonly BlockParts[]): ChainEdition {
    const { earliest, flushed } = this.#chain
    return { earliest, flushed, blocks }
  }
}
