import { spawn } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { frameHeader } from '../../../../host/store/wal/wal-frame.ts'
import { DISK, type WalIo } from '../../../../host/store/wal/wal-io.ts'
import { readWalRecord, WriteAheadLog } from '../../../../host/store/wal/write-ahead-log.ts'
import { makeRandom } from '../../../support/random.ts'
import { temporaryDir } from '../temporary-storage.ts'
import { WRITER_FILE_BYTES, walRecord } from './wal-records.ts'

const KILLS = 10
const FRAME = 24

function record(height: number): Uint8Array {
  return new TextEncoder().encode(`record of height ${height}`)
}

/** Three records a file of 100 bytes, the last file has two. */
async function writeSmallWal(dir: string): Promise<string[]> {
  const wal = WriteAheadLog.open(dir, { fileBytes: 100 })
  for (let height = 7; height <= 14; height++) await wal.append(height, record(height))
  wal.raisePruneHeight(9)
  await wal.close()
  return filesOf(dir)
}

function filesOf(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => join(dir, name))
}

function expectRecords(wal: WriteAheadLog, earliest: number, latest: number): void {
  expect([wal.earliest, wal.latest]).toEqual([earliest, latest])
  for (let height = Math.max(earliest, 0); height <= latest; height++) {
    expect(wal.read(height)).toEqual(record(height))
  }
}

/** Opens a log that lost its end, and sees that it goes on from there. */
async function expectRepaired(dir: string, latest: number, bytes: number): Promise<void> {
  const wal = WriteAheadLog.open(dir)
  expectRecords(wal, 7, latest)
  expect(wal.repaired?.bytes ?? 0).toBe(bytes)
  await wal.append(latest + 1, record(latest + 1))
  await wal.close()
  const again = WriteAheadLog.open(dir)
  expect(again.repaired).toBeUndefined()
  expectRecords(again, 7, latest + 1)
  await again.close()
}

test('records are read by height, and by location in another place', async () => {
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

test('an empty write-ahead log begins with any height', async () => {
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

test('pruning removes whole files below a height, never the newest', async () => {
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

describe('a torn end', () => {
  test('is cut off at every length of the last two frames', async () => {
    const source = temporaryDir()
    const last = (await writeSmallWal(source)).at(-1) as string
    const whole = readFileSync(last)
    const frame = FRAME + record(13).length
    expect(whole.length).toBe(2 * frame)
    for (let length = 0; length <= whole.length; length++) {
      const dir = temporaryDir()
      for (const name of readdirSync(source)) copyFileSync(join(source, name), join(dir, name))
      truncateSync(filesOf(dir).at(-1) as string, length)
      await expectRepaired(dir, 12 + Math.floor(length / frame), length % frame)
    }
  })

  test('is cut off where the file grew and its bytes never came', async () => {
    const dir = temporaryDir()
    const last = (await writeSmallWal(dir)).at(-1) as string
    const bytes = readFileSync(last)
    for (const [from, latest] of [
      [FRAME + 30, 13],
      [20, 12],
    ] as const) {
      writeFileSync(last, Buffer.concat([bytes.subarray(0, from), Buffer.alloc(5000)]))
      const wal = WriteAheadLog.open(dir)
      expectRecords(wal, 7, latest)
      await wal.close()
    }
  })

  test('is told from damage though its record is made to look like frames', async () => {
    const dir = temporaryDir()
    const wal = WriteAheadLog.open(dir)
    await wal.append(1, record(1))
    const forged = record(3)
    const header = frameHeader(new Uint8Array(8).fill(1), 3, forged)
    await wal.append(2, new Uint8Array(Buffer.concat([header, forged, new Uint8Array(9)])))
    await wal.close()
    const [file = ''] = filesOf(dir)
    truncateSync(file, readFileSync(file).length - 1)
    const again = WriteAheadLog.open(dir)
    expect(again.latest).toBe(1)
    await again.close()
  })
})

test('each damaged byte is a torn last frame, or STORE_CORRUPTED with file and offset', async () => {
  const dir = temporaryDir()
  const files = await writeSmallWal(dir)
  const frame = FRAME + record(13).length
  for (const path of [...files, join(dir, 'head')]) {
    const bytes = readFileSync(path)
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8))
      writeFileSync(path, damaged)
      if (path === files.at(-1) && at >= frame) {
        const wal = WriteAheadLog.open(dir)
        expectRecords(wal, 7, 13)
        expect(wal.repaired).toEqual({ file: path, offset: frame, bytes: frame })
        await wal.close()
        continue
      }
      const offset = at - (at % (FRAME + record(path === files[0] ? 7 : 10).length))
      const place = path.endsWith('.log') ? `${path}: at offset ${offset} ` : `${path} is damaged`
      expect(() => WriteAheadLog.open(dir), `byte ${at} of ${path}`).toThrow(
        expect.objectContaining({
          code: 'STORE_CORRUPTED',
          message: expect.stringContaining(place),
        }),
      )
    }
    writeFileSync(path, bytes)
  }
  const wal = WriteAheadLog.open(dir)
  expectRecords(wal, 7, 14)
  await wal.close()
})

describe('a crash while a file is begun', () => {
  test.each([
    ['nothing of it', undefined],
    ['an empty file', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(60)],
    ['a part of the header', frameHeader(new Uint8Array(8), 15, record(15)).subarray(0, 11)],
    ['a header alone', frameHeader(new Uint8Array(8), 15, record(15))],
  ])('leaves %s', async (_, content) => {
    const dir = temporaryDir()
    await writeSmallWal(dir)
    if (content !== undefined) writeFileSync(join(dir, '0000000000000015.log'), content)
    await expectRepaired(dir, 14, content?.length ?? 0)
  })

  test('leaves a head that was not renamed yet', async () => {
    const dir = temporaryDir()
    await writeSmallWal(dir)
    writeFileSync(join(dir, 'head.tmp'), Buffer.alloc(5))
    const wal = WriteAheadLog.open(dir)
    expect(wal.pruneHeight).toBe(9)
    wal.raisePruneHeight(11)
    await wal.close()
    const again = WriteAheadLog.open(dir)
    expect(again.pruneHeight).toBe(11)
    await again.close()
  })

  test('leaves only a head', async () => {
    const dir = temporaryDir()
    await WriteAheadLog.open(dir).close()
    writeFileSync(join(dir, '0000000000000007.log'), Buffer.alloc(0))
    const wal = WriteAheadLog.open(dir)
    expect([wal.earliest, wal.latest]).toEqual([-1, -1])
    await wal.append(3, record(3))
    await wal.close()
    expect(filesOf(dir)).toEqual([join(dir, '0000000000000003.log')])
  })
})

describe('what no crash leaves is STORE_CORRUPTED', () => {
  const CASES: [string, (files: string[], dir: string) => void, string][] = [
    ['a file missing between', (files) => rmSync(files[1] as string), 'ends with height 9'],
    ['an empty file between', (files) => truncateSync(files[1] as string, 0), 'it is empty'],
    [
      'a torn file between',
      (files) => truncateSync(files[1] as string, 100),
      'a later file follows',
    ],
    ['no head', (_, dir) => rmSync(join(dir, 'head')), 'head is missing'],
    [
      'a file of other heights',
      (files) => copyFileSync(files[0] as string, files[1] as string),
      'at offset 0 there is the record of another height',
    ],
  ]
  test.each(CASES)('%s', async (_, damage, message) => {
    const dir = temporaryDir()
    damage(await writeSmallWal(dir), dir)
    expect(() => WriteAheadLog.open(dir)).toThrow(
      expect.objectContaining({
        code: 'STORE_CORRUPTED',
        message: expect.stringContaining(message),
      }),
    )
  })

  test('a record that was damaged after opening', async () => {
    const dir = temporaryDir()
    const [file = ''] = await writeSmallWal(dir)
    const wal = WriteAheadLog.open(dir)
    const bytes = readFileSync(file)
    bytes[30] = (bytes[30] as number) ^ 1
    writeFileSync(file, bytes)
    expect(() => wal.read(7)).toThrow(`${file}: the record at offset 0 is damaged`)
    expect(wal.read(8)).toEqual(record(8))
    rmSync(file)
    expect(() => wal.read(8)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPTED' }))
    await wal.close()
  })

  test('a log of the earlier format', () => {
    const dir = join(temporaryDir(), 'wal')
    mkdirSync(dir)
    writeFileSync(join(dir, 'data.mdb'), Buffer.alloc(8192))
    expect(() => WriteAheadLog.open(dir)).toThrow(
      expect.objectContaining({
        code: 'STORE_CORRUPTED',
        message: expect.stringContaining('earlier format (data.mdb)'),
        hint: expect.stringContaining('empty data directory'),
      }),
    )
  })
})

/** A disk whose syncs the test ends, one after another. */
class HeldDisk implements WalIo {
  readonly syncs: { resolve: () => void; reject: (thrown: Error) => void }[] = []
  readonly append = DISK.append
  readonly truncate = DISK.truncate

  sync(): Promise<void> {
    return new Promise((resolve, reject) => this.syncs.push({ resolve, reject }))
  }

  /** Ends the sync that runs, once there is one. */
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

describe('appends in flight', () => {
  test('share one sync, are read meanwhile and resolve in order', async () => {
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
    // The file is new: its directory comes before anything is acknowledged.
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

  test('keep a full file open until they are synced, or it has twice its size', async () => {
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

describe('a disk that fails', () => {
  test.each([
    ['ENOSPC', 'STORE_FULL', 0],
    ['ENOSPC', 'STORE_FULL', 40],
    ['EIO', 'STORE_CORRUPTED', 10],
  ])('by %s in a write of the log is %s, and the log takes no more', async (code, error, taken) => {
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
    // Written in pieces of 17 bytes, all of it.
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
  })

  test('in a sync takes back what it was to acknowledge', async () => {
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

/** Runs the writer, and kills it some time after it acknowledged `records` heights. */
async function writeUntilKilled(dir: string, seed: number, records: number): Promise<number> {
  const script = fileURLToPath(new URL('wal-writer.ts', import.meta.url))
  const writer = spawn(process.execPath, [script, dir, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let lines = 0
  writer.stdout.on('data', (data: Buffer) => {
    output += data
    lines += data.toString().split('\n').length - 1
    if (lines >= records) writer.kill('SIGKILL')
  })
  const signal = await new Promise((resolve) => writer.on('close', (_, by) => resolve(by)))
  expect(signal).toBe('SIGKILL')
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1))
}

test('nothing acknowledged is lost when the process is killed', async () => {
  const seed = 20_251
  const random = makeRandom(seed)
  const dir = temporaryDir()
  let earliest = 1
  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await writeUntilKilled(dir, seed + kill, 1 + Math.floor(random() * 60))
    const wal = WriteAheadLog.open(dir, { fileBytes: WRITER_FILE_BYTES })
    expect(wal.latest, `seed ${seed}, kill ${kill}`).toBeGreaterThanOrEqual(acknowledged)
    expect(wal.earliest).toBeGreaterThanOrEqual(earliest)
    expect(wal.earliest).toBeLessThanOrEqual(Math.max(1, wal.latest - 30))
    for (let height = wal.earliest; height <= wal.latest; height++) {
      expect(Buffer.compare(wal.read(height), walRecord(height)), `height ${height}`).toBe(0)
    }
    expect(wal.pruneHeight).toBeLessThanOrEqual(Math.max(-1, wal.latest - 20))
    earliest = wal.earliest
    await wal.close()
  }
}, 120_000)
