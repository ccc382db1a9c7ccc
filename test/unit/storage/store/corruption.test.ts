import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkFreeSpace } from '../../../../host/storage/store/lmdb/lmdb-env.ts'
import { storeError } from '../../../../host/storage/table/store-error.ts'
import { cutNewest } from '../../../support/store/torn-wal.ts'
import { account, blockRecord, digest } from './chain/block-records.ts'
import { openAt, temporaryDir } from './temporary-storage.ts'

const MARK = digest('a value to find in the file')

async function storeBlocks(dir: string): Promise<void> {
  const storage = await openAt(dir, { flushInterval: 1000 })
  for (let height = 0; height <= 5; height++) {
    const legacy = [{ key: MARK, value: digest('of height', height) }]
    await storage.append(blockRecord(height, { accounts: [[1, account(height, 1)]], legacy }))
  }
  await storage.close()
}

/** Flips a bit in the log's record of `height`. */
function damageRecord(dir: string, height: number): string {
  const [name] = readdirSync(join(dir, 'wal')).filter((entry) => entry.endsWith('.log'))
  const file = join(dir, 'wal', name as string)
  const bytes = readFileSync(file)
  const at = bytes.indexOf(Buffer.from(digest('of height', height)))
  expect(at).toBeGreaterThan(0)
  bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(file, bytes)
  return file
}

describe('a damaged write-ahead log', () => {
  test('is refused with the position of the damage if records follow the damage', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir)
    const file = damageRecord(dir, 3)
    await expect(openAt(dir)).rejects.toMatchObject({
      code: 'STORE_CORRUPTED',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('`lockstep consensus unsafe-reset-all`'),
    })
  })

  test('is refused if it lost a record that the tables contain', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir)
    damageRecord(dir, 5)
    rmSync(join(dir, 'chain.db'), { recursive: true })
    await expect(openAt(dir)).rejects.toMatchObject({
      code: 'STORE_CORRUPTED',
      message:
        `Database is corrupted: database ${join(dir, 'chain.db')} ends at height -1, the others at 5, and the ` +
        'write-ahead log holds heights 0 to 4',
    })
  })

  test('is refused if it lost records that all tables contain, since no block could follow', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir)
    cutNewest(dir, 1)
    await expect(openAt(dir)).rejects.toMatchObject({
      code: 'STORE_CORRUPTED',
      message:
        `Database is corrupted: the databases of ${dir} end at height 5, and the write-ahead log in wal holds ` +
        'heights 0 to 4',
    })
  })

  test('is refused if it has the earlier format', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir)
    writeFileSync(join(dir, 'wal', 'data.mdb'), Buffer.alloc(4096))
    await expect(openAt(dir)).rejects.toMatchObject({ code: 'STORE_CORRUPTED' })
  })
})

describe('a missing database', () => {
  test('is rebuilt if the write-ahead log still contains every height', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir)
    rmSync(join(dir, 'chain.db'), { recursive: true })
    const storage = await openAt(dir)
    expect(storage.startup.replayed).toEqual({ from: 0, to: 5 })
    expect(storage.chain.block(5)).toEqual(blockRecord(5).executed.block)
    await storage.close()
  })

  test('is refused if the write-ahead log lacks a height', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir)
    rmSync(join(dir, 'wal'), { recursive: true })
    rmSync(join(dir, 'chain.db'), { recursive: true })
    await expect(openAt(dir)).rejects.toMatchObject({
      code: 'STORE_CORRUPTED',
      message:
        `Database is corrupted: database ${join(dir, 'chain.db')} ends at height -1, the others at 5, and the ` +
        'write-ahead log holds heights -1 to -1',
    })
  })

  test('is no error if it is the write-ahead log and the tables are complete', async () => {
    const dir = temporaryDir()
    await storeBlocks(dir)
    rmSync(join(dir, 'wal'), { recursive: true })
    const storage = await openAt(dir)
    expect(storage.chain.latest).toBe(5)
    await storage.append(blockRecord(6))
    expect(() => [...storage.changesets(5)]).toThrow(
      'the write-ahead log starts at height 6, height 5 was asked for',
    )
    await storage.close()
  })
})

describe('database errors', () => {
  test('become STORE_FULL when the disk or the map is full', () => {
    for (const code of [28, 122, 27, 'ENOSPC', 'EDQUOT', 'EFBIG', -30792]) {
      const thrown = Object.assign(new Error('no room'), { code })
      expect(storeError('/data/wal', thrown)).toMatchObject({
        code: 'STORE_FULL',
        message: 'disk full: /data/wal: no room',
        cause: thrown,
        hint: 'free disk space and start again',
      })
    }
  })

  test('are avoided by refusing writes when the disk reserve is used up', () => {
    const dir = temporaryDir()
    expect(() => checkFreeSpace(dir, 2 ** 60)).toThrow(
      expect.objectContaining({
        code: 'STORE_FULL',
        message: expect.stringMatching(
          /^disk full: \/.* has \d+ MiB free, 1099511627776 MiB are needed$/,
        ),
      }),
    )
    checkFreeSpace(dir, 1)
  })

  test('become STORE_CORRUPTED otherwise', () => {
    const thrown = Object.assign(new Error('Input/output error'), { code: 5 })
    expect(storeError(temporaryDir(), thrown)).toMatchObject({
      code: 'STORE_CORRUPTED',
      message: expect.stringMatching(/^Database is corrupted: database .*: Input\/output error$/),
    })
  })
})
