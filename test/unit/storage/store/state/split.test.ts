import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, address, blockRecord } from '../chain/block-records.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'

const REMEDY = 'state sync before enabling evm-ss-split, or set evm-ss-split=false'

/** Creates a home with some blocks and closes it. */
async function storeBlocks(
  dir: string,
  options: Parameters<typeof openAt>[1],
  last = 5,
): Promise<void> {
  const storage = await openAt(dir, options)
  for (let height = storage.chain.latest + 1; height <= last; height++) {
    await storage.append(blockRecord(height, { accounts: [[1, account(height, 1)]] }))
  }
  await storage.close()
}

describe('the first safety check', () => {
  test('refuses the split for a home with history and no EVM directory, and creates no directory', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: false })
    const evmDir = join(dir, 'evm_ss')
    await expect(openAt(dir, { evmSplit: true })).rejects.toMatchObject({
      code: 'STORE_SPLIT_REFUSED',
      message: `EVM SS directory "${evmDir}" does not exist but Cosmos SS already has history; ${REMEDY}`,
      hint: 'complete a state sync, or set evm-ss-split = false and restart',
    })
    expect(readdirSync(dir)).not.toContain('evm_ss')
  })

  test('refuses the split for a home with history and an empty EVM directory, and leaves it empty', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: false })
    const evmDir = join(dir, 'evm_ss')
    mkdirSync(evmDir)
    await expect(openAt(dir, { evmSplit: true, evmSeparateDbs: false })).rejects.toMatchObject({
      code: 'STORE_SPLIT_REFUSED',
      message: `EVM SS directory "${evmDir}" is empty but Cosmos SS already has history; ${REMEDY}`,
    })
    expect(readdirSync(evmDir)).toEqual([])
  })

  test('allows the node to run again with the split off', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: false })
    await expect(openAt(dir, { evmSplit: true })).rejects.toThrow('does not exist')
    const storage = await openAt(dir, { evmSplit: false })
    expect(storage.state.view(5).account(address(1))).toEqual(account(5, 1))
    await storage.close()
  })

  test('ignores a store that contains only the genesis block', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: false }, 0)
    const storage = await openAt(dir, { evmSplit: true })
    expect(storage.startup.replayed).toEqual({ from: 0, to: 0 })
    expect(storage.state.view(0).account(address(1))).toEqual(account(0, 1))
    await storage.close()
  })
})

describe('the second safety check', () => {
  const message = `EVM SS is empty but Cosmos SS already has history; ${REMEDY}`

  test.each([true, false])('refuses EVM databases without data (separate %s)', async (separate) => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: false })
    const other = temporaryDir()
    await (await openAt(other, { evmSplit: true, evmSeparateDbs: separate })).close()
    cpSync(join(other, 'evm_ss'), join(dir, 'evm_ss'), { recursive: true })
    await expect(openAt(dir, { evmSplit: true, evmSeparateDbs: separate })).rejects.toMatchObject({
      code: 'STORE_SPLIT_REFUSED',
      message,
    })
  })

  test('refuses a home whose EVM member lost one database', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: true })
    rmSync(join(dir, 'evm_ss', 'storage'), { recursive: true })
    await expect(openAt(dir, { evmSplit: true })).rejects.toMatchObject({
      code: 'STORE_SPLIT_REFUSED',
      message,
    })
    expect(readdirSync(join(dir, 'evm_ss')).sort()).toEqual(['account', 'code', 'legacy'])
  })
})

describe('the third safety check', () => {
  test('refuses members whose earliest heights differ', async () => {
    const dir = temporaryDir()
    const other = temporaryDir()
    await storeBlocks(dir, { evmSplit: true, evmSeparateDbs: false }, 60)
    await storeBlocks(other, { evmSplit: true, evmSeparateDbs: false, keepRecent: 20 }, 60)
    const pruned = await openAt(other, { evmSplit: true, evmSeparateDbs: false })
    const pruneHeight = pruned.state.earliest
    await pruned.close()
    expect(pruneHeight).toBeGreaterThan(0)
    rmSync(join(dir, 'evm_ss'), { recursive: true })
    cpSync(join(other, 'evm_ss'), join(dir, 'evm_ss'), { recursive: true })
    await expect(openAt(dir, { evmSplit: true, evmSeparateDbs: false })).rejects.toMatchObject({
      code: 'STORE_SPLIT_REFUSED',
      message:
        `EVM SS earliest version ${pruneHeight} does not match Cosmos SS earliest version 0: ` +
        'state sync the EVM SS DB, or set evm-ss-split=false',
    })
  })

  test('passes after a crash between the two members of one prune', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: true, evmSeparateDbs: false }, 60)
    const before = temporaryDir()
    cpSync(join(dir, 'evm_ss'), join(before, 'evm_ss'), { recursive: true })
    await storeBlocks(dir, { evmSplit: true, evmSeparateDbs: false, keepRecent: 20 }, 60)
    // The EVM member from before its prune height moved, with a general member whose prune height has moved.
    rmSync(join(dir, 'evm_ss'), { recursive: true })
    cpSync(join(before, 'evm_ss'), join(dir, 'evm_ss'), { recursive: true })
    const storage = await openAt(dir, { evmSplit: true, evmSeparateDbs: false })
    expect(storage.state.earliest).toBe(41)
    expect(storage.state.view(41).account(address(1))).toEqual(account(41, 1))
    await storage.close()
  })
})

describe('a split that is turned off again', () => {
  test('starts and reports the heights without EVM data instead of returning zero', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: true })
    const storage = await openAt(dir, { evmSplit: false })
    expect(storage.startup.evmGap).toEqual({ from: 0, end: undefined })
    expect(storage.chain.latest).toBe(5)
    expect(() => storage.state.view(5)).toThrow(
      expect.objectContaining({
        code: 'NOT_FOUND',
        message:
          'EVM state of height 5 is missing: from height 0 on it was written while evm-ss-split was true',
      }),
    )
    await storage.close()
    const again = await openAt(dir, { evmSplit: true })
    expect(again.state.view(5).account(address(1))).toEqual(account(5, 1))
    await again.close()
  })
})

describe('the layout on disk', () => {
  test('has one environment per kind of row if the databases are separate', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: true })
    expect(readdirSync(join(dir, 'evm_ss')).sort()).toEqual([
      'account',
      'code',
      'legacy',
      'storage',
    ])
    expect(readdirSync(dir).sort()).toEqual([
      'chain.db',
      'evm_ss',
      'log_index.db',
      'pebbledb',
      'tx_index.db',
      'wal',
    ])
  })

  test('has no EVM directory while the split is off', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir, { evmSplit: false })
    expect(readdirSync(dir)).not.toContain('evm_ss')
  })
})
