import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BlockTables } from '../../../../../host/storage/store/chain/block-store.ts'
import { TransactionTable } from '../../../../../host/storage/store/chain/transaction-index.ts'
import { MarkedEnv } from '../../../../../host/storage/store/lmdb/marked-env.ts'
import type { NodeStorage } from '../../../../../host/storage/store/node-storage.ts'
import type { StorageOptions } from '../../../../../host/storage/store/storage-options.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'
import { account, blockRecord, digest, transactionHash } from './block-records.ts'

/** Number of block hashes that a replay of the following block may read. */
const HASHES = 256

async function appendTo(storage: NodeStorage, latest: number): Promise<void> {
  for (let height = storage.chain.latest + 1; height <= latest; height++) {
    await storage.append(blockRecord(height, { accounts: [[1, account(height, 1)]] }, 1))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

let whole: string

beforeAll(async () => {
  whole = mkdtempSync(join(tmpdir(), 'lockstep-store-'))
  const storage = await openAt(whole, { flushInterval: 50 })
  await appendTo(storage, 400)
  await storage.close()
})

afterAll(() => rmSync(whole, { recursive: true, force: true }))

/** Writes blocks 0 to 400 and flushes them under the options. */
async function grown(options: Partial<StorageOptions>): Promise<[string, NodeStorage]> {
  const dir = temporaryDir()
  cpSync(whole, dir, { recursive: true })
  await (await openAt(dir, options)).close()
  return [dir, await openAt(dir, options)]
}

function expectKept({ chain }: NodeStorage, from: number): void {
  for (let height = from; height <= chain.latest; height++) {
    const { block, receipts } = blockRecord(height, {}, 1).executed
    expect(chain.block(height)).toEqual(block)
    expect(chain.receipts(height)).toEqual(receipts)
    expect(chain.heightOf(block.header.hash)).toBe(height)
    expect(chain.locate(transactionHash(height, 0))).toEqual({ height, index: 0 })
  }
}

function expectGone({ chain }: NodeStorage, height: number): void {
  expect(chain.header(height)).toBeUndefined()
  expect(chain.block(height)).toBeUndefined()
  expect(chain.receipts(height)).toBeUndefined()
  expect(chain.receipt(height, 0)).toBeUndefined()
  expect(chain.transaction(height, 0)).toBeUndefined()
  expect(chain.heightOf(digest('block', height))).toBeUndefined()
  expect(chain.locate(transactionHash(height, 0))).toBeUndefined()
}

describe('min-retain-blocks of', () => {
  test('0 retains all blocks', async () => {
    const [, storage] = await grown({ keepRecent: 10, retainBlocks: 0 })
    expect(storage.state.earliest).toBeGreaterThan(370)
    expect(storage.chain.earliest).toBe(0)
    expectKept(storage, 0)
    await storage.close()
  })

  test('any value retains the blocks that a replay from the oldest state needs', async () => {
    const [, storage] = await grown({ keepRecent: 40, retainBlocks: 1 })
    const { chain, state } = storage
    expect(chain.earliest).toBeGreaterThan(0)
    expect(chain.earliest).toBeLessThanOrEqual(state.earliest + 1 - HASHES)
    expect(chain.earliest).toBeGreaterThan(state.earliest + 1 - HASHES - 16)
    const oldest = state.earliest + 1
    for (let back = 1; back <= HASHES; back++) {
      expect(state.view(oldest - 1).blockHash(oldest - back)).toEqual(
        digest('block', oldest - back),
      )
    }
    await storage.close()
  })

  test('any value retains all blocks while all state is retained', async () => {
    const [, storage] = await grown({ keepRecent: 0, retainBlocks: 1 })
    expect(storage.chain.earliest).toBe(0)
    expectKept(storage, 0)
    await storage.close()
  })

  test('a larger number retains that many blocks', async () => {
    const [, storage] = await grown({ keepRecent: 1, retainBlocks: 370 })
    expect(storage.chain.earliest).toBeGreaterThan(0)
    expect(storage.chain.earliest).toBeLessThanOrEqual(31)
    expectKept(storage, storage.chain.earliest)
    await storage.close()
  })

  test('any value hides blocks below the prune height at once and deletes their rows later', async () => {
    const [dir, storage] = await grown({ keepRecent: 1, retainBlocks: 1 })
    const { earliest } = storage.chain
    for (let height = 1; height < earliest; height++) expectGone(storage, height)
    // The genesis block identifies the chain, so it is never pruned
    expect(storage.chain.block(0)).toEqual(blockRecord(0, {}, 1).executed.block)
    expectKept(storage, earliest)
    for (const step of storage.chain.removal(earliest)) void step
    await storage.close()
    const blocks = new BlockTables(new MarkedEnv(`${dir}/chain.db`))
    expect(blocks.lowest()).toBe(earliest)
    const transactions = new TransactionTable(new MarkedEnv(`${dir}/tx_index.db`))
    expect(transactions.locate(transactionHash(earliest - 1, 0))).toBeUndefined()
    expect(transactions.locate(transactionHash(earliest, 0))).toEqual({
      height: earliest,
      index: 0,
    })
    expect(blocks.heightOf(digest('block', earliest - 1))).toBeUndefined()
  })

  test('any value resumes pruning after a crash at any step', async () => {
    const [dir, storage] = await grown({ keepRecent: 1, retainBlocks: 0 })
    await storage.close()
    const open = await openAt(dir, { keepRecent: 1, retainBlocks: 0 })
    open.chain.raise(130)
    let steps = 0
    for (const _ of open.chain.removal(130)) {
      // The files as a kill between two transactions leaves them
      const left = temporaryDir()
      cpSync(dir, left, { recursive: true })
      const again = await openAt(left, { keepRecent: 1, retainBlocks: 1 })
      expect(again.chain.earliest).toBe(130)
      expectGone(again, 129)
      expectKept(again, 130)
      await appendTo(again, 420)
      expectKept(again, again.chain.earliest)
      await again.close()
      steps++
    }
    expect(steps).toBeGreaterThan(3)
    await open.close()
  })

  test('a new value takes effect in a home that retained all blocks, and can be reverted', async () => {
    const [dir, before] = await grown({ keepRecent: 1, retainBlocks: 0 })
    await before.close()
    let storage = await openAt(dir, { keepRecent: 1, retainBlocks: 50 })
    await appendTo(storage, 420)
    await storage.close()
    storage = await openAt(dir, { keepRecent: 1, retainBlocks: 0 })
    await appendTo(storage, 440)
    const { earliest } = storage.chain
    expect(earliest).toBeGreaterThan(100)
    expect(earliest).toBeLessThanOrEqual(420 - 255)
    expectKept(storage, earliest)
    await storage.close()
  })
})
