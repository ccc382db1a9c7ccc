import { MemoryDeltas } from '../../table/memory-delta.ts'
import type { Segment } from '../../table/segment.ts'
import type { SegmentTable } from '../../table/segment-table.ts'
import type { ChainDirs, LmdbChainStore } from '../chain/lmdb-chain-store.ts'
import { type BlockParts, shareParts } from '../codec/record-codec.ts'
import type { FileListReader, SharedFiles } from '../state/shared-files.ts'
import type { SplitState } from '../state/split-state.ts'
import type { TableName } from '../state/table-rows.ts'
import type { VersionedTable } from '../state/versioned-table.ts'
import type { ChainDelta, StateDelta, StorageDelta, TableDelta } from './storage-delta.ts'

/** What a reader was sent of the state's tables. */
class ToldState {
  readonly #reader: FileListReader
  readonly #memory = new MemoryDeltas()
  readonly #segments = new Map<TableName, readonly Segment[]>()

  constructor(reader: FileListReader) {
    this.#reader = reader
  }

  edition(state: SplitState, number: number): StateDelta {
    const tables = Array.from(state.tables, ([name, table]) => this.#table(name, table))
    const { earliest, latest, firstWithEvm, evmWholeFrom } = state
    const { taken } = this.#reader
    return { earliest, latest, firstWithEvm, evmWholeFrom, tables, number, taken }
  }

  #table(table: TableName, { since, memory, stored }: VersionedTable): TableDelta {
    const edition = { table, since, memory: this.#memory.next(memory) }
    const { segments } = stored as SegmentTable
    if (this.#segments.get(table) === segments) return edition
    this.#segments.set(table, segments)
    return { ...edition, segments: segments.map(({ shared }) => shared) }
  }
}

/** A reader that receives further blocks. */
type Reader = (blocks: () => readonly BlockParts[], number: number) => void

/**
 * Lets other threads read the storage on their own. Rows in memory are in shared memory, rows on disk in files that
 * each thread opens. A delta lists both after its block is on disk. Whatever a delta names is neither reused nor
 * removed before each reader has taken a later delta or detached.
 */
export class StoragePublisher {
  readonly #chain: LmdbChainStore
  readonly #state: SplitState
  readonly #files: SharedFiles
  readonly #readers = new Set<Reader>()

  constructor(chain: LmdbChainStore, state: SplitState, files: SharedFiles) {
    this.#chain = chain
    this.#state = state
    this.#files = files
  }

  /** The databases that readers open for blocks. */
  get dirs(): ChainDirs {
    return this.#chain.dirs
  }

  /** Sends the state now, and its changes from then on. @returns a function that stops it */
  attachState(send: (edition: StateDelta) => void): () => void {
    return this.#attach((told) => (_, number) => send(told.edition(this.#state, number)))
  }

  /**
   * Sends the state and the blocks that are not in the databases yet, and their changes from then on. @returns a
   * function that stops it
   */
  attach(send: (edition: StorageDelta) => void): () => void {
    return this.#attach((told) => (blocks, number) => {
      send({ chain: this.#chainEdition(blocks()), state: told.edition(this.#state, number) })
    })
  }

  /** Call it in the tick in which reads of this thread see another block. */
  publish(parts: BlockParts): void {
    let shared: readonly BlockParts[] | undefined
    const blocks = () => {
      shared ??= [shareParts(parts)]
      return shared
    }
    const number = this.#files.nextList()
    for (const reader of this.#readers) reader(blocks, number)
  }

  #attach(readerOf: (told: ToldState) => Reader): () => void {
    const files = this.#files.attach()
    const reader = readerOf(new ToldState(files))
    reader(() => Array.from(this.#chain.waiting(), shareParts), this.#files.nextList())
    this.#readers.add(reader)
    return () => {
      this.#readers.delete(reader)
      files.detach()
    }
  }

  #chainEdition(blocks: readonly BlockParts[]): ChainDelta {
    const { earliest, flushed } = this.#chain
    return { earliest, flushed, blocks }
  }
}
