import { expect, onTestFinished, test, vi } from 'vitest'
import {
  BLOCK_CACHES,
  type BlockCaches,
  shareCaches,
} from '../../../../../host/storage/store/chain/block-caches.ts'
import { BlockTables } from '../../../../../host/storage/store/chain/block-store.ts'
import { encodeRecord } from '../../../../../host/storage/store/codec/record-codec.ts'
import { MarkedEnv } from '../../../../../host/storage/store/lmdb/marked-env.ts'
import { temporaryDir } from '../temporary-storage.ts'
import { address } from './block-records.ts'
import { loggedBlock } from './random-logs.ts'

const LAST = 10
const EVERY = { addresses: [address(0)], topics: [] }

/** Writes blocks 0 to LAST, each with a log of 100 bytes, and opens them with these caches. */
async function blocksOnDisk(caches: BlockCaches): Promise<BlockTables> {
  const dir = temporaryDir()
  const written = new MarkedEnv(dir)
  const store = written.add(new BlockTables(written))
  for (let height = 0; height <= LAST; height++) {
    const log = { address: address(0), topics: [], data: new Uint8Array(100) }
    store.apply(encodeRecord(loggedBlock(height, [[log]])).parts)
  }
  await store.flush(LAST)
  await written.close()
  const env = new MarkedEnv(dir)
  onTestFinished(() => env.close())
  return new BlockTables(env, caches)
}

/** Searches all blocks upwards, then downwards. @returns how many blocks the second search read from disk */
async function searchedAgain(caches: BlockCaches): Promise<number> {
  const store = await blocksOnDisk(caches)
  const read = vi.spyOn(store, 'receiptBytes')
  const search = (height: number) => store.matchingLogs(EVERY, height, () => true)
  for (let height = 0; height <= LAST; height++) expect(search(height)).toHaveLength(1)
  read.mockClear()
  for (let height = LAST; height >= 0; height--) expect(search(height)).toHaveLength(1)
  return read.mock.calls.length
}

test('a store caches as many blocks, headers and logs as its cache sizes allow', async () => {
  const all = await blocksOnDisk(BLOCK_CACHES)
  const few = await blocksOnDisk({ ...BLOCK_CACHES, blocks: 2, headers: 2 })
  const before = [all, few].map((store) => [store.block(1), store.receipts(1), store.header(1)])
  for (const store of [all, few]) {
    for (const height of [2, 3]) {
      store.block(height)
      store.receipts(height)
    }
  }
  const same = [all, few].map((store, i) => [
    store.block(1) === before[i]?.[0],
    store.receipts(1) === before[i]?.[1],
    store.header(1) === before[i]?.[2],
  ])
  expect(same).toEqual([
    [true, true, true],
    [false, false, false],
  ])
  expect(await searchedAgain(BLOCK_CACHES)).toBe(0)
  expect(await searchedAgain({ ...BLOCK_CACHES, logBytes: 2000 })).toBeGreaterThan(0)
})

test('several threads together cache as much as a single thread', () => {
  expect(shareCaches(BLOCK_CACHES, 1)).toEqual(BLOCK_CACHES)
  expect(shareCaches({ blocks: 24, headers: 8192, logBytes: 100 }, 7)).toEqual({
    blocks: 4,
    headers: 1171,
    logBytes: 15,
  })
})
