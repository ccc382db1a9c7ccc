import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { DISK } from '../../../../host/storage/store/wal/wal-io.ts'
import { makeGate } from '../../../support/gate.ts'
import {
  account,
  address,
  blockRecord,
  changeset,
  codeHashOf,
  digest,
  header,
  slot,
  transactionHash,
  word,
} from './chain/block-records.ts'
import { openAt, temporaryDir } from './temporary-storage.ts'

const key = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes)

describe('appending a block', () => {
  test('makes it visible to every read, before and after it reaches its tables', async () => {
    const dir = temporaryDir()
    let storage = await openAt(dir, { flushInterval: 1000 })
    expect([storage.chain.earliest, storage.chain.latest]).toEqual([-1, -1])
    expect([storage.state.earliest, storage.state.latest]).toEqual([-1, -1])
    const records = [0, 1, 2, 3].map((height) => blockRecord(height, {}, height + 1))
    for (const record of records) await storage.append(record)
    for (const place of ['memory', 'disk']) {
      expect([storage.chain.earliest, storage.chain.latest], place).toEqual([0, 3])
      for (const { executed } of records) {
        const height = executed.block.header.number
        expect(storage.chain.header(height), place).toEqual(executed.block.header)
        expect(storage.chain.block(height), place).toEqual(executed.block)
        expect(storage.chain.receipts(height), place).toEqual(executed.receipts)
        expect(storage.chain.heightOf(executed.block.header.hash), place).toBe(height)
        for (let index = 0; index <= height; index++) {
          expect(storage.chain.locate(transactionHash(height, index))).toEqual({ height, index })
        }
      }
      expect(storage.chain.block(4)).toBeUndefined()
      expect(storage.chain.header(-1)).toBeUndefined()
      expect(storage.chain.receipts(4)).toBeUndefined()
      expect(storage.chain.heightOf(digest('no block'))).toBeUndefined()
      expect(storage.chain.locate(digest('no transaction'))).toBeUndefined()
      await storage.close()
      storage = await openAt(dir)
      expect(storage.startup.replayed).toBeUndefined()
    }
    await storage.close()
  })

  test('is possible only at the next height', async () => {
    const storage = await openAt(temporaryDir())
    await expect(storage.append(blockRecord(1))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message:
        'record of block 1 with the changeset of height 1 cannot be appended: the next height is 0',
    })
    await storage.append(blockRecord(0))
    await expect(storage.append(blockRecord(0))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(
      storage.append({ ...blockRecord(1), changeset: changeset(2) }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(storage.chain.latest).toBe(0)
    await storage.close()
  })

  test('is refused for a key that exceeds the size of a row, and stores nothing of the block', async () => {
    const dir = temporaryDir()
    const storage = await openAt(dir)
    await storage.append(blockRecord(0))
    const legacy = [{ key: new Uint8Array(2000), value: word(1) }]
    await expect(storage.append(blockRecord(1, { legacy }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'store key takes 4007 bytes, the maximum is 1970',
    })
    const modules = [{ module: 'bank', writes: [{ key: new Uint8Array(0), value: word(1) }] }]
    await expect(storage.append(blockRecord(1, { modules }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'store key is empty',
    })
    await storage.append(blockRecord(1))
    await storage.close()
  })

  test('makes it visible only after it is on disk, and never if the disk fails', async () => {
    const storage = await openAt(temporaryDir())
    await storage.append(blockRecord(0))
    const disk = makeGate()
    const sync = vi.spyOn(DISK, 'sync').mockImplementation(() => disk.opened)
    try {
      const first = storage.append(blockRecord(1, { accounts: [[1, account(1, 5)]] }))
      await new Promise(setImmediate)
      expect([storage.chain.latest, storage.state.latest]).toEqual([0, 0])
      disk.open()
      await first
      expect([storage.chain.latest, storage.state.latest]).toEqual([1, 1])
      sync.mockImplementation(() => Promise.reject(new Error('no such disk')))
      await expect(storage.append(blockRecord(2))).rejects.toThrow('no such disk')
    } finally {
      sync.mockRestore()
    }
    await expect(storage.append(blockRecord(3))).rejects.toThrow('no such disk')
    expect([storage.chain.latest, storage.state.latest]).toEqual([1, 1])
    await storage.close()
  })

  test('does not depend on arrays that the caller reuses', async () => {
    const storage = await openAt(temporaryDir(), { flushInterval: 1000 })
    const record = blockRecord(0, { accounts: [[1, account(1, 5)]], storage: [[1, 1, 9]] })
    await storage.append(record)
    record.changeset.evm.accounts.fill(0xff)
    record.changeset.evm.storage.fill(0xff)
    expect(storage.state.view(0).account(address(1))).toEqual(account(1, 5))
    expect(storage.state.view(0).storage(address(1), slot(1))).toEqual(word(9))
    await storage.close()
  })

  test('may exceed a chunk of the write-ahead log', async () => {
    const dir = temporaryDir()
    const accounts = Array.from({ length: 9000 }, (_, n) => [n, account(n, n + 1)] as const)
    let storage = await openAt(dir)
    await storage.append(blockRecord(0, { accounts }, 3000))
    expect([...storage.changesets(0)]).toEqual([changeset(0, { accounts })])
    await storage.close()
    storage = await openAt(dir)
    expect(storage.state.view(0).account(address(8999))).toEqual(account(8999, 9000))
    expect(storage.chain.receipts(0)?.length).toBe(3000)
    await storage.close()
  })
})

describe('state views', () => {
  test('return the latest value at or below their height', async () => {
    const storage = await openAt(temporaryDir())
    const code = Uint8Array.of(0x60, 0x01)
    const blocks = [
      { accounts: [[1, account(0, 10)]] as const, storage: [[1, 1, 5]] as const, codes: [code] },
      {},
      { accounts: [[1, account(1, 7)]] as const, storage: [[1, 1, 0]] as const },
      { accounts: [[1, undefined]] as const, storage: [[1, 1, 6]] as const },
      {},
    ]
    for (const [height, changes] of blocks.entries()) {
      await storage.append(blockRecord(height, changes))
    }
    const balances = [0, 1, 2, 3, 4].map((height) => storage.state.view(height).account(address(1)))
    expect(balances).toEqual([account(0, 10), account(0, 10), account(1, 7), undefined, undefined])
    const values = [0, 1, 2, 3, 4].map((h) => storage.state.view(h).storage(address(1), slot(1)))
    expect(values).toEqual([word(5), word(5), undefined, word(6), word(6)])
    expect(storage.state.view(4).code(codeHashOf(code))).toEqual(code)
    expect(storage.state.view(4).account(address(2))).toBeUndefined()
    await storage.close()
  })

  test('return empty code for the empty hash, and report the hash of missing code', async () => {
    const storage = await openAt(temporaryDir())
    await storage.append(blockRecord(0))
    const view = storage.state.view(0)
    expect(view.code(account(0, 0).slice(40))).toEqual(new Uint8Array(0))
    expect(() => view.code(slot(3))).toThrow(
      `code of hash 0x${'0'.repeat(62)}03 is missing at height 0`,
    )
    await storage.close()
  })

  test('return the hashes of the 256 blocks before the executed one', async () => {
    const storage = await openAt(temporaryDir(), { flushInterval: 100 })
    for (let height = 0; height <= 300; height++) await storage.append(blockRecord(height, {}, 0))
    const view = storage.state.view(299)
    expect(view.blockHash(299)).toEqual(header(299).hash)
    expect(view.blockHash(44)).toEqual(header(44).hash)
    expect(view.blockHash(43)).toBeUndefined()
    expect(view.blockHash(300)).toBeUndefined()
    await storage.close()
  })

  test('return zero for slots written before their account was cleared', async () => {
    const dir = temporaryDir()
    let storage = await openAt(dir, { flushInterval: 2 })
    await storage.append(
      blockRecord(0, {
        storage: [
          [1, 1, 5],
          [1, 2, 6],
          [2, 1, 7],
        ],
      }),
    )
    await storage.append(blockRecord(1, {}))
    await storage.append(blockRecord(2, { cleared: [1], storage: [[1, 2, 8]] }))
    await storage.append(blockRecord(3, { storage: [[1, 1, 9]] }))
    for (let opened = 0; opened < 2; opened++) {
      const at = (height: number, n: number, s: number): Uint8Array | undefined =>
        storage.state.view(height).storage(address(n), slot(s))
      expect([0, 1, 2, 3].map((height) => at(height, 1, 1))).toEqual([
        word(5),
        word(5),
        undefined,
        word(9),
      ])
      expect([0, 1, 2, 3].map((height) => at(height, 1, 2))).toEqual([
        word(6),
        word(6),
        word(8),
        word(8),
      ])
      expect(at(3, 2, 1)).toEqual(word(7))
      await storage.close()
      storage = await openAt(dir)
    }
    await storage.close()
  })

  test('refuse future heights', async () => {
    const storage = await openAt(temporaryDir())
    await storage.append(blockRecord(0))
    expect(() => storage.state.view(1)).toThrow(
      expect.objectContaining({
        code: 'NOT_FOUND',
        message: 'requested height 1 is not yet available; safe latest is 0',
        data: { requested: 1, earliest: 0, latest: 0 },
      }),
    )
    await storage.close()
  })
})

describe('module stores', () => {
  test('iterate in key order at any height, over memory and disk together', async () => {
    const storage = await openAt(temporaryDir(), { flushInterval: 3 })
    const bank = (writes: readonly [string, string | undefined][]) => ({
      modules: [
        {
          module: 'bank',
          writes: writes.map(([k, v]) => ({ key: key(k), value: v === undefined ? v : key(v) })),
        },
      ],
    })
    await storage.append(
      blockRecord(
        0,
        bank([
          ['a', '1'],
          ['a\0', '2'],
          ['ab', '3'],
          ['b', '4'],
        ]),
      ),
    )
    await storage.append(
      blockRecord(
        1,
        bank([
          ['a', undefined],
          ['c', '5'],
        ]),
      ),
    )
    await storage.append(
      blockRecord(
        2,
        bank([
          ['ab', '6'],
          ['d', ''],
        ]),
      ),
    )
    await storage.append(
      blockRecord(
        3,
        bank([
          ['a', '7'],
          ['b', undefined],
        ]),
      ),
    )
    const staking = {
      modules: [{ module: 'banking', writes: [{ key: key('z'), value: key('9') }] }],
    }
    await storage.append(blockRecord(4, staking))
    const store = storage.state.module('bank')
    const list = (options: Parameters<typeof store.range>[0]): string[] =>
      [...store.range(options)].map((row) => `${text(row.key)}=${text(row.value)}`)
    expect(list({ height: 0 })).toEqual(['a=1', 'a\0=2', 'ab=3', 'b=4'])
    expect(list({ height: 1 })).toEqual(['a\0=2', 'ab=3', 'b=4', 'c=5'])
    expect(list({ height: 2 })).toEqual(['a\0=2', 'ab=6', 'b=4', 'c=5', 'd='])
    expect(list({ height: 4 })).toEqual(['a=7', 'a\0=2', 'ab=6', 'c=5', 'd='])
    expect(list({ height: 4, reverse: true })).toEqual(['d=', 'c=5', 'ab=6', 'a\0=2', 'a=7'])
    expect(list({ height: 4, start: key('a\0'), end: key('c') })).toEqual(['a\0=2', 'ab=6'])
    expect(list({ height: 4, start: key('ab'), end: key('d'), reverse: true })).toEqual([
      'c=5',
      'ab=6',
    ])
    expect(store.has(key('d'), 2)).toBe(true)
    expect(store.has(key('d'), 1)).toBe(false)
    expect(text(store.get(key('d'), 2))).toBe('')
    expect(() => store.get(key('d'), 5)).toThrow('requested height 5 is not yet available')
    await storage.close()
  })
})

describe('pruning', () => {
  test('raises the prune height, keeps every answer above it and drops rows that only lower heights can read', async () => {
    const dir = temporaryDir()
    let storage = await openAt(dir, { evmSplit: true, keepRecent: 10, flushInterval: 5 })
    for (let height = 0; height <= 60; height++) {
      await storage.append(
        blockRecord(
          height,
          { accounts: [[1, account(height, 1)]], storage: [[1, height % 3, height]] },
          1,
        ),
      )
      await new Promise((resolve) => setImmediate(resolve))
    }
    await storage.close()
    storage = await openAt(dir, { evmSplit: true, keepRecent: 10 })
    const pruneHeight = storage.state.earliest
    expect(pruneHeight).toBeGreaterThan(30)
    expect(pruneHeight).toBeLessThanOrEqual(51)
    for (let height = pruneHeight; height <= 60; height++) {
      expect(storage.state.view(height).account(address(1))).toEqual(account(height, 1))
      for (let s = 0; s < 3; s++) {
        const written = height - ((height - s) % 3)
        expect(storage.state.view(height).storage(address(1), slot(s))).toEqual(word(written))
      }
    }
    expect(() => storage.state.view(pruneHeight - 1)).toThrow(
      expect.objectContaining({
        code: 'STATE_PRUNED',
        message: `requested height ${pruneHeight - 1} has been pruned; earliest available is ${pruneHeight}`,
        data: { requested: pruneHeight - 1, earliest: pruneHeight, latest: 60 },
      }),
    )
    await storage.close()
  })
})

describe('memory', () => {
  test('a cached header does not keep its record in memory', async () => {
    const storage = await openAt(temporaryDir())
    await storage.append(blockRecord(0, { codes: [new Uint8Array(1e6)] }, 0))
    const read = (): number =>
      Math.max(
        ...Object.values(storage.chain.header(0) ?? {})
          .filter((field) => field instanceof Uint8Array)
          .map((field) => field.buffer.byteLength),
      )
    expect(read()).toBeLessThan(2048)
    await storage.settle()
    expect(read()).toBeLessThan(2048)
    await storage.close()
  })
})

describe('the write-ahead log', () => {
  test('contains the changesets that the state commit may still need', async () => {
    const storage = await openAt(temporaryDir(), { flushInterval: 8 })
    for (let height = 0; height <= 300; height++) {
      await storage.append(blockRecord(height, { accounts: [[1, account(height, 1)]] }, 0))
    }
    const heights = [...storage.changesets(250)].map(({ height }) => height)
    expect(heights).toEqual(Array.from({ length: 51 }, (_, i) => 250 + i))
    expect([...storage.changesets(301)]).toEqual([])
    await storage.close()
  })

  test('reports a changeset that it no longer contains', async () => {
    const storage = await openAt(temporaryDir(), { flushInterval: 8, walFileBytes: 4096 })
    const appended = Array.from({ length: 1100 }, (_, height) =>
      storage.append(blockRecord(height, {}, 0)),
    )
    await Promise.all(appended)
    await storage.settle()
    expect(() => [...storage.changesets(0)]).toThrow(
      /^Database is corrupted: the write-ahead log starts at height \d+, height 0 was asked for$/,
    )
    await storage.close()
  })
})

describe('backends', () => {
  test('accept pebbledb and store it in LMDB under the same directory name', async () => {
    const dir = temporaryDir()
    const storage = await openAt(dir, {
      backend: 'pebbledb',
      evmSplit: true,
      evmSeparateDbs: false,
    })
    expect(storage.startup).toEqual({
      backend: 'pebbledb',
      servedBy: 'lmdb',
      evm: { dir: join(dir, 'evm_ss'), separateDbs: false },
      replayed: undefined,
      cutBytes: 0,
      evmGap: undefined,
    })
    await storage.close()
  })
})
