import { fdatasyncSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { DISK, type WalIo } from '../../../../../host/storage/store/wal/wal-io.ts'
import {
  readWalRecord,
  WriteAheadLog,
} from '../../../../../host/storage/store/wal/write-ahead-log.ts'
import { type Gate, makeGate } from '../../../../support/gate.ts'
import { temporaryDir } from '../temporary-storage.ts'
import {
  expectRecords,
  expectRepaired,
  FRAME,
  filesOf,
  record,
  writeSmallWal,
} from './small-wal.ts'

test('records are read by height, and by location from another thread', async () => {
  const dir = temporaryDir()
  const files = await writeSmallWal(dir)
  expect(files.map((file) => file.slice(-8))).toEqual(['0007.log', '0010.log', '0013.log'])
  const wal = WriteAheadLog.open(dir)
  expectRecords(wal, 7, 14)
  expect(wal.pruneHeight).toBe(9)
  const location = wal.location(11)
  expect(location).toEqual({ height: 11, file: files[1], offset: FRAME + 19, length: 19 })
  expect(readWalRecord(location)).toEqual(record(11))
  for (const height of [6, 15]) {
    expect(() => wal.read(height)).toThrow(`holds heights 7 to 14, not ${height}`)
  }
  await expect(wal.append(16, record(16))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await expect(wal.append(14, record(14))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await wal.append(15, new Uint8Array(0))
  expect(wal.read(15)).toEqual(new Uint8Array(0))
  await wal.close()
  await expect(wal.append(16, record(16))).rejects.toThrow('is closed')
})

test('an empty write-ahead log may start at any height', async () => {
  const dir = temporaryDir()
  const wal = WriteAheadLog.open(dir)
  expect([wal.earliest, wal.latest, wal.pruneHeight]).toEqual([-1, -1, -1])
  expect(() => wal.read(0)).toThrow('not 0')
  wal.prune(10)
  await wal.append(0, record(0))
  await wal.close()
  const again = WriteAheadLog.open(dir)
  expectRecords(again, 0, 0)
  await again.close()
})

test('pruning removes whole files below a height, but never the latest file', async () => {
  const dir = temporaryDir()
  const files = await writeSmallWal(dir)
  const wal = WriteAheadLog.open(dir)
  wal.prune(9)
  expect(wal.earliest).toBe(7)
  wal.prune(10)
  expectRecords(wal, 10, 14)
  wal.prune(100)
  expectRecords(wal, 13, 14)
  await wal.append(15, record(15))
  await wal.close()
  expect(filesOf(dir)).toEqual(files.slice(2))
  const again = WriteAheadLog.open(dir)
  expectRecords(again, 13, 15)
  expect(again.pruneHeight).toBe(9)
  await again.close()
})

/** A disk whose syncs the test completes one by one. */
class HeldDisk implements WalIo {
  readonly syncs: { resolve: () => void; reject: (thrown: Error) => void }[] = []
  readonly append = DISK.append
  readonly truncate = DISK.truncate

  sync(): Promise<void> {
    return new Promise((resolve, reject) => this.syncs.push({ resolve, reject }))
  }

  /** Completes the running sync, or the next one to start. */
  async end(thrown?: Error): Promise<void> {
    while (this.syncs.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const sync = this.syncs.shift()
    if (thrown === undefined) sync?.resolve()
    else sync?.reject(thrown)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: what the disk says`), { code })
}

describe('concurrent appends', () => {
  test('share one sync, are readable before it ends, and resolve in order', async () => {
    const disk = new HeldDisk()
    const wal = WriteAheadLog.open(temporaryDir(), { io: disk })
    const resolved: number[] = []
    const append = (height: number): void => {
      wal.append(height, record(height)).then(() => resolved.push(height))
    }
    append(1)
    append(2)
    expectRecords(wal, 1, 2)
    await Promise.resolve()
    expect(disk.syncs.length).toBe(1)
    for (let height = 3; height <= 20; height++) append(height)
    expectRecords(wal, 1, 20)
    await disk.end()
    // The file is new: its directory is synced before any record is acknowledged.
    expect(resolved).toEqual([])
    await disk.end()
    expect(resolved).toEqual([1, 2])
    append(21)
    await disk.end()
    expect(resolved).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    await disk.end()
    expect(resolved.at(-1)).toBe(21)
    expect(disk.syncs.length).toBe(0)
    await wal.close()
  })

  test('fill one file to at most twice its size before they are synced', async () => {
    const disk = new HeldDisk()
    const dir = temporaryDir()
    const wal = WriteAheadLog.open(dir, { fileBytes: 100, io: disk })
    const appends = [7, 8, 9, 10].map((height) => wal.append(height, record(height)))
    expect(filesOf(dir).length).toBe(1)
    appends.push(...[11, 12].map((height) => wal.append(height, record(height))))
    expect(filesOf(dir).length).toBe(2)
    expectRecords(wal, 7, 12)
    const closed = wal.close()
    for (let sync = 0; sync < 2; sync++) await disk.end()
    await Promise.all(appends)
    await closed
    const again = WriteAheadLog.open(dir)
    expectRecords(again, 7, 12)
    await again.close()
  })
})

describe('a file whose sync is in progress', () => {
  /** Each call of `sync` covers the file and the directory. The first waits for `gate`, later ones for `later`. */
  async function openHeld(later?: Gate) {
    const gate = makeGate()
    const dir = temporaryDir()
    let calls = 0
    const held = {
      ...DISK,
      sync: async (file: number) => {
        await (calls++ < 2 ? gate : (later ?? gate)).opened
        fdatasyncSync(file)
      },
    }
    const wal = WriteAheadLog.open(dir, { isLate: true, fileBytes: 100, io: held })
    for (let height = 7; height <= 9; height++) await wal.append(height, record(height))
    expect(filesOf(dir)).toHaveLength(1)
    return { gate, dir, wal, syncing: wal.sync() }
  }

  test('stays open after an append has begun the next file', async () => {
    const { gate, dir, wal, syncing } = await openHeld()
    await wal.append(10, record(10))
    expect(filesOf(dir)).toHaveLength(2)
    gate.open()
    await syncing
    await wal.append(11, record(11))
    expectRecords(wal, 7, 11)
    await wal.close()
  })

  test('stays open when its records are removed', async () => {
    const { gate, wal, syncing } = await openHeld()
    const cut = wal.cut(6)
    gate.open()
    await Promise.all([syncing, cut])
    await wal.append(7, record(7))
    expectRecords(wal, 7, 7)
    await wal.close()
  })

  test('stays open if its records are removed while the sync waits for another', async () => {
    const later = makeGate()
    const { gate, wal, syncing } = await openHeld(later)
    const appended = wal.append(10, record(10))
    const waiting = wal.sync()
    const cut = wal.cut(6)
    gate.open()
    await Promise.all([appended, syncing])
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    expect(wal.latest).toBe(10)
    later.open()
    await Promise.all([waiting, cut])
    expect(wal.latest).toBe(-1)
    await wal.close()
  })

  test('stays open when the log closes', async () => {
    const { gate, wal, syncing } = await openHeld()
    const closed = wal.close()
    gate.open()
    await Promise.all([syncing, closed])
  })
})

describe('a disk failure', () => {
  test.each([
    ['ENOSPC', 'STORE_FULL', 0],
    ['ENOSPC', 'STORE_FULL', 40],
    ['EIO', 'STORE_CORRUPTED', 10],
  ])(
    'by %s in a write of the log is %s, and the log accepts no more records',
    async (code, error, taken) => {
      const dir = temporaryDir()
      await writeSmallWal(dir)
      let room = 150
      const io: WalIo = {
        ...DISK,
        append(file, parts) {
          const bytes = Buffer.concat(parts).subarray(0, Math.min(room, 17))
          if (bytes.length === 0) throw diskError(code)
          room -= bytes.length
          return DISK.append(file, [bytes])
        },
      }
      const wal = WriteAheadLog.open(dir, { io })
      // Written in several pieces of 17 bytes.
      await wal.append(15, record(15))
      const second = wal.append(16, record(16))
      room = taken
      await expect(wal.append(17, record(17))).rejects.toMatchObject({ code: error })
      await second
      room = 1000
      await expect(wal.append(17, record(17))).rejects.toMatchObject({ code: error })
      expectRecords(wal, 7, 16)
      await wal.close()
      const again = WriteAheadLog.open(dir)
      expect(again.repaired).toBeUndefined()
      expectRecords(again, 7, 16)
      await again.close()
    },
  )

  test('in a sync rejects the unacknowledged records', async () => {
    const dir = temporaryDir()
    const disk = new HeldDisk()
    const wal = WriteAheadLog.open(dir, { io: disk })
    const first = wal.append(7, record(7))
    await disk.end()
    await disk.end()
    await first
    const appends = [wal.append(8, record(8))]
    await Promise.resolve()
    appends.push(wal.append(9, record(9)))
    const outcomes = Promise.allSettled(appends)
    await disk.end(diskError('EIO'))
    for (const { status, reason } of (await outcomes) as PromiseRejectedResult[]) {
      expect([status, reason.code]).toEqual(['rejected', 'STORE_CORRUPTED'])
    }
    expectRecords(wal, 7, 7)
    await expect(wal.append(8, record(8))).rejects.toThrow('EIO')
    await wal.close()
    await expectRepaired(dir, 7, 0)
  })

  test('before the first record leaves an empty log', async () => {
    const dir = temporaryDir()
    const io: WalIo = {
      ...DISK,
      append() {
        throw diskError('ENOSPC')
      },
    }
    const wal = WriteAheadLog.open(dir, { io })
    await expect(wal.append(7, record(7))).rejects.toMatchObject({ code: 'STORE_FULL' })
    expect([wal.earliest, wal.latest]).toEqual([-1, -1])
    await wal.close()
    const again = WriteAheadLog.open(dir)
    await again.append(5, record(5))
    expect([again.earliest, again.latest]).toEqual([5, 5])
    await again.close()
  })
})
