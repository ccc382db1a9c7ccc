import { expect, test } from 'vitest'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import { StorageRollback } from '../../../../host/storage/store/storage-rollback.ts'
import { address, blockRecord, slot, transactionHash } from './chain/block-records.ts'
import { openAt, storageOptions, temporaryDir } from './temporary-storage.ts'

const TOPIC = slot(1)
const LOGGED = address(7)
const AGAIN = transactionHash(999, 0)

/** Returns a block with three transactions. With `again`, the first is `AGAIN` with this status. */
function record(height: number, again?: 0 | 1): BlockRecord {
  const made = blockRecord(height, {}, 3)
  if (again === undefined) return made
  const { executed } = made
  const [first, ...rest] = executed.receipts
  if (first === undefined) throw new Error('no receipt')
  const receipts = [{ ...first, transactionHash: AGAIN, status: again }, ...rest]
  const transactionHashes = [AGAIN, ...executed.transactionHashes.slice(1)]
  return { ...made, executed: { ...executed, receipts, transactionHashes } }
}

async function cut(dir: string, height: number): Promise<void> {
  const storage = await StorageRollback.open(storageOptions(dir))
  await storage.cut(height, () => {})
}

test('a transaction that failed in an earlier block is found there again after a rollback', async () => {
  const dir = temporaryDir()
  const storage = await openAt(dir)
  const failed = new Map<number, 0 | 1>([
    [2, 0],
    [3, 0],
    [7, 1],
  ])
  for (let height = 0; height <= 9; height++) {
    await storage.append(record(height, failed.get(height)))
  }
  expect(storage.chain.locate(AGAIN)).toEqual({ height: 7, index: 0 })
  await storage.close()
  await cut(dir, 6)
  const back = await openAt(dir)
  expect(back.chain.latest).toBe(6)
  expect(back.chain.locate(AGAIN)).toEqual({ height: 3, index: 0 })
  expect(back.chain.locate(transactionHash(6, 1))).toEqual({ height: 6, index: 1 })
  expect(back.chain.locate(transactionHash(7, 1))).toBeUndefined()
  expect(back.chain.heightOf(record(7).executed.block.header.hash)).toBeUndefined()
  await back.close()
  await cut(dir, 2)
  const further = await openAt(dir)
  expect(further.chain.locate(AGAIN)).toEqual({ height: 2, index: 0 })
  await further.close()
})

test('the log index omits removed heights, within a section and at its start', async () => {
  const dir = temporaryDir()
  const storage = await openAt(dir, { flushInterval: 1000 })
  const last = 4100
  // Every block has a log.
  for (let height = 0; height <= last; height++) void storage.append(blockRecord(height, {}, 2))
  await storage.settle()
  const filter = { addresses: [LOGGED], topics: [[TOPIC]] }
  expect(storage.chain.logHeights(filter, 4090, last)).toHaveLength(11)
  await storage.close()
  for (const height of [4097, 4095, 7]) {
    await cut(dir, height)
    const back = await openAt(dir)
    expect(back.chain.latest).toBe(height)
    const from = Math.max(0, height - 5)
    expect(back.chain.logHeights(filter, from, height)).toHaveLength(height - from + 1)
    // Blocks without a log: leftover rows would return these heights.
    for (let next = height + 1; next <= height + 3; next++) {
      await back.append(blockRecord(next, {}, 0))
    }
    await back.settle()
    expect(back.chain.logHeights(filter, height, height + 3)).toEqual([height])
    await back.close()
  }
})

test('a second rollback to the same height changes nothing', async () => {
  const dir = temporaryDir()
  const storage = await openAt(dir)
  for (let height = 0; height <= 20; height++) await storage.append(record(height))
  await storage.close()
  for (let run = 0; run < 2; run++) await cut(dir, 11)
  const back = await openAt(dir)
  expect([back.chain.latest, back.state.latest]).toEqual([11, 11])
  await back.append(record(12))
  expect(back.chain.latest).toBe(12)
  await back.close()
})
