import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import { LmdbEnv, type LmdbTable } from '../../../host/storage/store/lmdb/lmdb-env.ts'
import type { OpenedLayout, StoreLayout } from './layout.ts'
import { naiveBatches, naiveKey, naiveRows, naiveValue } from './naive-rows.ts'

/** One B-tree of key and inverted height; a block is one synced transaction. */
export const NAIVE_LMDB: StoreLayout = {
  name: 'naive-lmdb',
  async preload(dir, rows) {
    const env = new LmdbEnv(dir)
    const table = env.table('rows')
    for (const batch of naiveBatches(rows)) {
      env.write(() => {
        for (const { key, value } of batch) table.append(key, value)
      })
    }
    await env.close()
  },
  async open(dir) {
    return new NaiveLmdb(new LmdbEnv(dir))
  },
}

class NaiveLmdb implements OpenedLayout {
  readonly lag = 0
  readonly #env: LmdbEnv
  readonly #rows: LmdbTable

  constructor(env: LmdbEnv) {
    this.#env = env
    this.#rows = env.table('rows')
  }

  async append(record: BlockRecord): Promise<void> {
    this.#env.write(() => {
      for (const { key, value } of naiveRows(record)) this.#rows.put(key, value)
    })
  }

  account(address: Uint8Array, height: number): Uint8Array | undefined {
    const key = naiveKey('account', address, height)
    return naiveValue(key, this.#rows.seek(key))
  }

  async settle(): Promise<void> {}

  close(): Promise<void> {
    return this.#env.close()
  }
}
