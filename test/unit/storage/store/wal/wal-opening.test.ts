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
import { describe, expect, test } from 'vitest'
import { frameHeader } from '../../../../../host/storage/store/wal/wal-frame.ts'
import { WriteAheadLog } from '../../../../../host/storage/store/wal/write-ahead-log.ts'
import { temporaryDir } from '../temporary-storage.ts'
import {
  expectRecords,
  expectRepaired,
  FRAME,
  filesOf,
  record,
  writeSmallWal,
} from './small-wal.ts'

describe('a torn end', () => {
  test('is truncated, whatever part of the last two frames is missing', async () => {
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

  test('is truncated if the file grew but its bytes were never written', async () => {
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

  test('is distinguished from damage even if its record imitates frames', async () => {
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

test('each damaged byte is reported as a torn last frame or as STORE_CORRUPTED with file and offset', async () => {
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

describe('a crash while a file is created', () => {
  test.each([
    ['nothing of it', undefined],
    ['an empty file', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(60)],
    ['a part of the header', frameHeader(new Uint8Array(8), 15, record(15)).subarray(0, 11)],
    ['a header alone', frameHeader(new Uint8Array(8), 15, record(15))],
  ])('may leave %s, which is repaired', async (_, content) => {
    const dir = temporaryDir()
    await writeSmallWal(dir)
    if (content !== undefined) writeFileSync(join(dir, '0000000000000015.log'), content)
    await expectRepaired(dir, 14, content?.length ?? 0)
  })

  test('may leave a head that was not renamed, which is repaired', async () => {
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

  test('may leave only a head, which is repaired', async () => {
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

describe('a log is STORE_CORRUPTED if it has', () => {
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

  test('a record that is damaged after the log was opened', async () => {
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

  test('the earlier format', () => {
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
