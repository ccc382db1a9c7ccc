import { createRequire } from 'node:module'
import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import type { OpenedLayout, StoreLayout } from './layout.ts'
import { naiveBatches, naiveKey, naiveRows, naiveValue } from './naive-rows.ts'

/** The parts of classic-level in use. */
interface ClassicLevel {
  open(): Promise<void>
  batch(
    operations: readonly { type: 'put'; key: Uint8Array; value: Uint8Array }[],
    options?: { readonly sync: boolean },
  ): Promise<void>
  iterator(range: { readonly gte: Uint8Array; readonly limit: number }): {
    next(): Promise<[Uint8Array, Uint8Array] | undefined>
    close(): Promise<void>
  }
  close(): Promise<void>
}

async function openLevel(dir: string): Promise<ClassicLevel> {
  const peers = createRequire(new URL('../../peers/package.json', import.meta.url))
  const { ClassicLevel } = peers('classic-level') as {
    ClassicLevel: new (dir: string, options: object) => ClassicLevel
  }
  const level = new ClassicLevel(dir, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    compression: false,
    cacheSize: 64 << 20,
    writeBufferSize: 64 << 20,
  })
  await level.open()
  return level
}

/** LevelDB. A block is one synced batch. It has no synchronous seek, so reads are asynchronous. */
export const NAIVE_LEVELDB: StoreLayout = {
  name: 'naive-leveldb',
  async preload(dir, rows) {
    const level = await openLevel(dir)
    for (const batch of naiveBatches(rows)) {
      await level.batch(batch.map(({ key, value }) => ({ type: 'put', key, value })))
    }
    await level.close()
  },
  async open(dir) {
    return new NaiveLevel(await openLevel(dir))
  },
}

class NaiveLevel implements OpenedLayout {
  readonly lag = 0
  readonly #level: ClassicLevel

  constructor(level: ClassicLevel) {
    this.#level = level
  }

  async append(record: BlockRecord): Promise<void> {
    const operations = naiveRows(record).map(
      ({ key, value }) => ({ type: 'put', key, value }) as const,
    )
    await this.#level.batch(operations, { sync: true })
  }

  async account(address: Uint8Array, height: number): Promise<Uint8Array | undefined> {
    const sought = naiveKey('account', address, height)
    const iterator = this.#level.iterator({ gte: sought, limit: 1 })
    const row = await iterator.next()
    await iterator.close()
    return naiveValue(sought, row && { key: row[0], value: row[1] })
  }

  async settle(): Promise<void> {}

  close(): Promise<void> {
    return this.#level.close()
  }
}
