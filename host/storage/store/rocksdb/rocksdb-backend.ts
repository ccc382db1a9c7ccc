import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FlushRequest, StateBackend, StateDatabase } from '../state/state-backend.ts'
import type { TableName } from '../state/table-rows.ts'
import type { WalLocation } from '../wal/write-ahead-log.ts'
import { RocksDatabase } from './rocksdb-database.ts'
import type { FlushTarget } from './rocksdb-messages.ts'
import { loadRocks, type RocksModule } from './rocksdb-module.ts'
import { RocksThread } from './rocksdb-thread.ts'

/**
 * The state store on RocksDB, through the optional package `@nxtedition/rocksdb`. Rows are keys followed by the
 * inverted height. A separate thread writes them through RocksDB's write-ahead log, which preserves their order; the
 * heights are written last and synced.
 */
export class RocksBackend implements StateBackend {
  readonly #rocks: RocksModule
  readonly #onFailure: (thrown: unknown) => void
  readonly #databases = new Set<RocksDatabase>()
  #thread: RocksThread | undefined

  /**
   * @param onFailure - Called with errors in the background.
   * @throws UNSUPPORTED if the package is not installed; nothing is changed on disk.
   */
  static load(onFailure: (thrown: unknown) => void): RocksBackend {
    return new RocksBackend(loadRocks(), onFailure)
  }

  private constructor(rocks: RocksModule, onFailure: (thrown: unknown) => void) {
    this.#rocks = rocks
    this.#onFailure = onFailure
  }

  async open(dir: string, tables: readonly TableName[]): Promise<StateDatabase> {
    const database = await RocksDatabase.open(this.#rocks, dir, tables, this.#onFailure)
    this.#databases.add(database)
    return database
  }

  holds(dir: string): boolean {
    return existsSync(join(dir, 'CURRENT'))
  }

  async flush(databases: readonly StateDatabase[], request: FlushRequest): Promise<void> {
    const { first, to, also } = request
    const own = databases.map((database) => this.#own(database))
    this.#thread ??= new RocksThread()
    await this.#writeRows(this.#thread, own, request)
    for (const database of own) {
      if (database.latest < to) await database.mark(first, to, also(database))
    }
    for (const database of own) await database.prune()
  }

  /** Always 0: RocksDB slows its writers down when compaction is behind, and does not report by how much. */
  compactionBacklog(): number {
    return 0
  }

  async settle(): Promise<void> {
    await this.#thread?.run({ kind: 'settle' })
    for (const database of this.#databases) await database.settle()
  }

  async close(): Promise<void> {
    for (const database of this.#databases) await database.release()
    await this.#thread?.close()
    this.#thread = undefined
  }

  async #writeRows(
    thread: RocksThread,
    databases: readonly RocksDatabase[],
    { wal, first, to }: FlushRequest,
  ): Promise<void> {
    const targets: FlushTarget[] = []
    for (const database of databases) {
      targets.push({ database: await database.attach(thread), above: database.latest })
    }
    const from = Math.min(...targets.map(({ above }) => (above < 0 ? first : above + 1)))
    const records: WalLocation[] = []
    for (let height = from; height <= to; height++) {
      records.push(wal.location(height))
    }
    if (records.length > 0) await thread.run({ kind: 'write', records, targets })
  }

  #own(database: StateDatabase): RocksDatabase {
    if (database instanceof RocksDatabase && this.#databases.has(database)) return database
    throw new TypeError(`database ${database.dir} was opened by another backend`)
  }
}
