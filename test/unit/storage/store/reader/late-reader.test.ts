import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BlockTables } from '../../../../../host/storage/store/chain/block-store.ts'
import { MarkedEnv } from '../../../../../host/storage/store/lmdb/marked-env.ts'
import type { StorageDelta } from '../../../../../host/storage/store/reader/storage-delta.ts'
import type { StoragePublisher } from '../../../../../host/storage/store/reader/storage-publisher.ts'
import { StorageReader } from '../../../../../host/storage/store/reader/storage-reader.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'
import { WrittenChain } from '../written-chain.ts'

const BLOCKS = 60

test('a reader that applies every file list late finds all files, which are deleted afterwards', async () => {
  const chain = new WrittenChain(1)
  const dir = temporaryDir()
  const options = { evmSplit: false, evmSeparateDbs: true, flushInterval: 2, keepRecent: 20 }
  const storage = await openAt(dir, options)
  onTestFinished(() => storage.close())
  const publisher = storage.publisher as StoragePublisher
  const late: StorageDelta[] = []
  publisher.attach((edition) => late.push(edition))
  const inTime = new StorageReader(storage.chain.dirs)
  publisher.attach((edition) => inTime.take(edition))
  for (let height = 0; height < BLOCKS; height++) {
    await storage.append(chain.record(height))
    if (height % 5 === 0) await storage.settle()
  }
  await storage.settle()
  const named = new Set(
    late.flatMap(({ state }) =>
      state.tables.flatMap(({ segments = [] }) => segments.map(({ path }) => path)),
    ),
  )
  // All files of every list that was sent must still exist.
  expect([...named].filter((path) => !existsSync(path))).toEqual([])
  const reader = new StorageReader(storage.chain.dirs)
  for (const edition of late) {
    reader.take(edition)
    const height = reader.state.latest
    if (height < 0) continue
    const account = reader.state.view(height, () => undefined)?.account(chain.address(3))
    expect([height, account]).toEqual([height, chain.account(3, height)])
  }
  await storage.append(chain.record(BLOCKS))
  reader.take(late.at(-1) as StorageDelta)
  await storage.append(chain.record(BLOCKS + 1))
  const { state } = late.at(-1) as StorageDelta
  const kept = new Set(readdirSync(join(dir, 'pebbledb')).filter((name) => name.endsWith('.seg')))
  expect(kept.size).toBeLessThan(named.size)
  expect(state.latest).toBe(BLOCKS + 1)
  await reader.close()
  await inTime.close()
})

test('blocks are deleted only after the last reader has received the prune height', async () => {
  const chain = new WrittenChain(1)
  const dir = temporaryDir()
  const options = { evmSplit: false, evmSeparateDbs: true, flushInterval: 2, keepRecent: 1 }
  const storage = await openAt(dir, { ...options, retainBlocks: 20 })
  onTestFinished(() => storage.close())
  const publisher = storage.publisher as StoragePublisher
  const late: StorageDelta[] = []
  publisher.attach((edition) => late.push(edition))
  const reader = new StorageReader(storage.chain.dirs)
  onTestFinished(() => reader.close())
  const rows = new BlockTables(new MarkedEnv(join(dir, 'chain.db'), { isShared: true }))
  const grow = async (to: number) => {
    for (let height = storage.chain.latest + 1; height < to; height++) {
      await storage.append(chain.record(height))
      if (height % 8 === 0) await storage.settle()
    }
  }
  const takeAll = () => {
    for (const edition of late.splice(0)) {
      reader.take(edition)
      const { earliest } = reader.chain
      if (earliest > 0) expect(reader.chain.header(earliest)?.number).toBe(earliest)
    }
  }
  await grow(400)
  expect(storage.chain.earliest).toBeGreaterThan(100)
  expect(rows.lowest()).toBe(1)
  // Blocks are deleted some at a time, between other work.
  for (let height = 401; (rows.lowest() ?? 0) <= 100; height += 8) {
    expect(height).toBeLessThan(2_000)
    takeAll()
    await grow(height)
  }
  expect(rows.lowest()).toBeLessThanOrEqual(storage.chain.earliest)
})
