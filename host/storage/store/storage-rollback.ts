import { join } from 'node:path'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import type { BlockHeader } from '../../evm/chain-types/block.ts'
import type { Changeset } from '../../evm/state/changeset.ts'
import { checkBackend, chooseBackend, evmDir, generalDir } from './backend-choice.ts'
import { openChainDatabases } from './chain/chain-databases.ts'
import { LmdbChainStore } from './chain/lmdb-chain-store.ts'
import { decodeHeaderRow } from './codec/block-codec.ts'
import { decodeChangeset } from './codec/changeset-codec.ts'
import { decodeRecord, type RecordParts } from './codec/record-codec.ts'
import { markersAt } from './state/evm-gap.ts'
import { databasesIn } from './state/split.ts'
import type { StateDatabase } from './state/state-backend.ts'
import type { StorageOptions } from './storage-options.ts'
import { StoreThread } from './thread/store-thread.ts'
import { cutWal } from './wal/wal-cut.ts'
import { WriteAheadLog } from './wal/write-ahead-log.ts'

export type RollbackOptions = Pick<
  StorageOptions,
  'dir' | 'backend' | 'evmSplit' | 'evmSeparateDbs'
>

/** Progress of the removal in one part of the storage. */
export interface CutStep {
  readonly part: 'state' | 'blocks'
  readonly done: number
  readonly total: number
  readonly unit: 'rows' | 'blocks'
}

interface OpenParts {
  readonly dir: string
  readonly wal: WriteAheadLog
  readonly chain: LmdbChainStore
  readonly general: StateDatabase | undefined
  /** All databases in the data folder, used or not. */
  readonly databases: readonly StateDatabase[]
  /** Those that the configuration uses: they determine how far back the state reaches. */
  readonly used: readonly StateDatabase[]
  readonly closing: readonly { close(): Promise<void> }[]
}

/** The storage of a stopped node whose latest heights are to be removed. */
export class StorageRollback {
  readonly #parts: OpenParts
  #isClosed = false

  /**
   * Opens everything in the data folder, whether or not the configuration uses it: data of a split that was turned
   * off must be removed together with its heights.
   * @throws STORE_CORRUPTED, STORE_FULL, STORE_BACKEND_CHANGED, UNSUPPORTED for `rocksdb` without its package
   */
  static async open(options: RollbackOptions): Promise<StorageRollback> {
    const { dir, evmSplit, evmSeparateDbs } = options
    checkBackend(dir, options.backend)
    const thread = new StoreThread()
    const closing: { close(): Promise<void> }[] = [thread]
    try {
      const backend = await chooseBackend(options.backend, thread, () => {})
      closing.push(backend)
      const openIn = async (folder: string, part: 'general' | 'evm'): Promise<StateDatabase[]> => {
        const found: StateDatabase[] = []
        for (const database of databasesIn(folder, part)) {
          if (!backend.holds(database.dir)) continue
          const opened = await backend.open(database.dir, database.tables)
          closing.push(opened)
          found.push(opened)
        }
        return found
      }
      const [general] = await openIn(generalDir(dir, options.backend), 'general')
      const evm = await openIn(evmDir(dir), 'evm')
      const wal = WriteAheadLog.open(join(dir, 'wal'))
      closing.push(wal)
      const { blocks, transactions, logs } = await openChainDatabases(dir)
      closing.push(blocks, transactions, logs)
      const isUsed = (database: StateDatabase): boolean =>
        database === general || (evmSplit && (database.dir === evmDir(dir)) !== evmSeparateDbs)
      // The EVM member first, as in a flush.
      const databases = general === undefined ? evm : [...evm, general]
      const chain = new LmdbChainStore(blocks, transactions, logs)
      const used = databases.filter(isUsed)
      return new StorageRollback({ dir, wal, chain, general, databases, used, closing })
    } catch (thrown) {
      await closeAll(closing)
      throw thrown
    }
  }

  private constructor(parts: OpenParts) {
    this.#parts = parts
  }

  /** Latest height; -1 if none. */
  get latest(): number {
    const { wal, chain, used } = this.#parts
    return Math.max(wal.latest, chain.latest, ...used.map(({ latest }) => latest))
  }

  /** Lowest height with state, block and rows. */
  get earliest(): number {
    const { wal, chain, used } = this.#parts
    return Math.max(0, wal.pruneHeight, chain.earliest, ...used.map(({ earliest }) => earliest))
  }

  /** Returns true if the write-ahead log has the records of these heights, both included. */
  holds(from: number, to: number): boolean {
    const { wal } = this.#parts
    return from > to || (wal.earliest >= 0 && wal.earliest <= from && to <= wal.latest)
  }

  header(height: number): BlockHeader | undefined {
    if (this.holds(height, height)) return decodeHeaderRow(this.#record(height).header)
    return this.#parts.chain.header(height)
  }

  changeset(height: number): Changeset {
    return decodeChangeset(this.#record(height).changeset)
  }

  /**
   * Removes all heights above `height` and closes. The write-ahead log comes last, so that repeating it removes what
   * a crash left behind.
   * @throws STORE_CORRUPTED, STORE_FULL
   */
  async cut(height: number, onStep: (step: CutStep) => void): Promise<void> {
    const { dir, chain, general, databases } = this.#parts
    const total = rowsIn(databases)
    let done = 0
    for (const database of databases) {
      if (database.latest <= height) continue
      const also = database === general ? markersAt(general, height) : []
      await database.cut(height, also, (rows) => {
        done += rows
        onStep({ part: 'state', done, total, unit: 'rows' })
      })
    }
    for (const step of chain.cut(height)) {
      onStep({ part: 'blocks', ...step, unit: 'blocks' })
      await yieldToEventLoop()
    }
    await this.close()
    cutWal(join(dir, 'wal'), height)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await closeAll(this.#parts.closing)
  }

  #record(height: number): RecordParts {
    return decodeRecord(height, this.#parts.wal.read(height))
  }
}

async function closeAll(parts: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const part of parts) await part.close()
}

function rowsIn(databases: readonly StateDatabase[]): number {
  let rows = 0
  for (const database of databases) {
    for (const table of database.tables) rows += database.table(table).size().rows
  }
  return rows
}
