import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import {
  loadRocks,
  type RocksColumn,
  type RocksLevel,
} from '../../../host/storage/store/rocksdb/rocksdb-module.ts'
import type { TableRow } from '../../../host/storage/store/state/table-rows.ts'
import type { OpenedLayout, StoreLayout } from './layout.ts'
import { naiveBatches, naiveKey, naiveRows, naiveValue } from './naive-rows.ts'

const OPTIONS = {
  createIfMissing: true,
  walCompression: false,
  columns: {
    default: {
      compaction: 'level',
      memtableMemoryBudget: 256 << 20,
      cacheSize: 64 << 20,
      compression: false,
    },
  },
} as const

async function openRocks(dir: string): Promise<RocksLevel> {
  const { RocksLevel } = loadRocks()
  const database = new RocksLevel(dir, OPTIONS)
  await database.open(OPTIONS)
  return database
}

function write(database: RocksLevel, rows: readonly TableRow[], sync: boolean): void {
  const column = database.columns.default as RocksColumn
  const batch = database.batch()
  for (const { key, value } of rows) batch._put(key, value, { column })
  batch._writeSync({ sync })
  void batch.close()
}

/** RocksDB with leveled compaction and default settings. A block is one synced batch, written by the main thread. */
export const NAIVE_ROCKSDB: StoreLayout = {
  name: 'naive-rocksdb',
  async preload(dir, rows) {
    const database = await openRocks(dir)
    for (const batch of naiveBatches(rows)) write(database, batch, false)
    await database.close()
  },
  async open(dir) {
    return new NaiveRocks(await openRocks(dir))
  },
}

class NaiveRocks implements OpenedLayout {
  readonly lag = 0
  readonly #database: RocksLevel

  constructor(database: RocksLevel) {
    this.#database = database
  }

  async append(record: BlockRecord): Promise<void> {
    write(this.#database, naiveRows(record), true)
  }

  account(address: Uint8Array, height: number): Uint8Array | undefined {
    const sought = naiveKey('account', address, height)
    const iterator = this.#database._iterator({
      column: this.#database.columns.default as RocksColumn,
      gte: sought,
      fillCache: true,
      asyncIO: false,
      keyEncoding: 'buffer',
      valueEncoding: 'buffer',
    })
    const [key, value] = iterator._nextvSync(1).rows
    void iterator.close()
    return naiveValue(sought, key && value && { key, value })
  }

  async settle(): Promise<void> {}

  close(): Promise<void> {
    return this.#database.close()
  }
}
