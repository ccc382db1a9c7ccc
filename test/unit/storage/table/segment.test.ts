import { existsSync, statSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BLOCK_BYTES } from '../../../../host/storage/table/segment-format.ts'
import { SegmentWriter } from '../../../../host/storage/table/segment-writer.ts'
import { makeRandom } from '../../../support/random.ts'
import {
  type ModelRow,
  randomKey,
  randomRows,
  rowsOf,
  seed,
  temporaryDir,
  VersionModel,
  writeSegment,
} from './version-model.ts'

const NO_BYTES = new Uint8Array(0)
const ABOVE_ALL = new Uint8Array(4).fill(255)

function number(value: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setUint32(length - 4, value)
  return bytes
}

describe('a segment', () => {
  test(`answers as a sorted array does (LOCKSTEP_SEED=${seed})`, () => {
    const random = makeRandom(seed)
    const rows = randomRows(random, 1500, 10, 60)
    const model = new VersionModel(rows)
    const path = join(temporaryDir(), 'segment')
    const segment = writeSegment(path, rows)
    const keys = model.distinctKeys()
    const heights = rows.map(({ height }) => height)
    expect(segment.summary).toEqual({
      rows: rows.length,
      keys: keys.length,
      bytes: statSync(path).size,
      lowest: Math.min(...heights),
      highest: Math.max(...heights),
    })
    expect(rowsOf(segment)).toEqual(model.rows)
    for (const key of [...keys, ...Array.from({ length: 200 }, () => randomKey(random, 9))]) {
      for (let height = 8; height <= 62; height++) {
        expect(segment.find(key, height)).toEqual(model.find(key, height))
      }
    }
    for (let i = 0; i < 300; i++) {
      const bounds: Uint8Array[] = Array.from({ length: 2 }, () =>
        random() < 0.5
          ? randomKey(random, 9)
          : (keys[Math.floor(random() * keys.length)] ?? NO_BYTES),
      )
      const [start = NO_BYTES, end = NO_BYTES] = bounds
      for (const reverse of [false, true]) {
        expect([...segment.keys(start, end, reverse)]).toEqual(model.keys(start, end, reverse))
      }
    }
    for (const reverse of [false, true]) {
      const all = [...segment.keys(NO_BYTES, ABOVE_ALL, reverse)]
      expect(all).toEqual(reverse ? keys.toReversed() : keys)
    }
    segment.release()
  })

  test('finds each of thousands of versions of one key between its neighbours', () => {
    const rows: ModelRow[] = []
    for (let height = 2; height <= 10_000; height += 2) {
      rows.push({ key: number(5, 20), height, value: number(height, 32) })
    }
    for (const key of [4, 6]) rows.push({ key: number(key, 20), height: 7, value: number(key, 32) })
    const segment = writeSegment(join(temporaryDir(), 'segment'), rows)
    expect(segment.summary.bytes).toBeGreaterThan(50 * BLOCK_BYTES)
    expect(segment.find(number(5, 20), 1)).toBeUndefined()
    for (let height = 2; height <= 10_001; height++) {
      const written = height - (height % 2)
      expect(segment.find(number(5, 20), height)).toEqual({
        height: written,
        value: number(written, 32),
      })
    }
    const keys = [4, 5, 6].map((key) => number(key, 20))
    expect([...segment.keys(number(0, 20), ABOVE_ALL, false)]).toEqual(keys)
    expect([...segment.keys(number(0, 20), ABOVE_ALL, true)]).toEqual(keys.toReversed())
    expect([...segment.keys(number(5, 20), number(6, 20), true)]).toEqual([number(5, 20)])
    segment.release()
  })

  test('holds heights from 0 to the largest safe integer', () => {
    const heights = [0, 1, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]
    const rows = heights.map((height) => ({ key: number(1, 4), height, value: number(1, 4) }))
    const segment = writeSegment(join(temporaryDir(), 'segment'), rows)
    expect(segment.summary).toMatchObject({ lowest: 0, highest: Number.MAX_SAFE_INTEGER, keys: 1 })
    for (const height of heights) expect(segment.find(number(1, 4), height)?.height).toBe(height)
    expect(segment.find(number(1, 4), 2 ** 33)?.height).toBe(2 ** 32)
    expect([...segment.keys(NO_BYTES, ABOVE_ALL, false)]).toEqual([number(1, 4)])
    segment.release()
  })

  test('may contain rows larger than a chunk, or none', () => {
    const dir = temporaryDir()
    const rows = [3, 3_000_000, 5_000_000, 0, 70_000].map((length, i) => ({
      key: number(i, 32),
      height: i,
      value: new Uint8Array(length).fill(i + 1),
    }))
    const large = writeSegment(join(dir, 'large'), rows)
    for (const { key, height, value } of rows) {
      expect(Buffer.compare(large.find(key, 9)?.value ?? NO_BYTES, value)).toBe(0)
      expect(large.find(key, 9)?.height).toBe(height)
    }
    expect([...large.keys(NO_BYTES, ABOVE_ALL, false)]).toHaveLength(5)
    expect(rowsOf(large).map(({ value }) => value.length)).toEqual([
      3, 3_000_000, 5_000_000, 0, 70_000,
    ])
    large.release()
    const empty = writeSegment(join(dir, 'empty'), [])
    expect(empty.summary).toMatchObject({ rows: 0, keys: 0, lowest: 0, highest: 0 })
    expect(empty.find(number(1, 20), 9)).toBeUndefined()
    expect([...empty.keys(NO_BYTES, ABOVE_ALL, true)]).toEqual([])
    expect(rowsOf(empty)).toEqual([])
    empty.release()
  })

  test(`answers lookups across many blocks, including long rows (LOCKSTEP_SEED=${seed})`, () => {
    const random = makeRandom(seed)
    const rows = Array.from({ length: 8_000 }, (_, i) => ({
      key: number(i, 20),
      height: 1,
      value: new Uint8Array(i % 100 === 0 ? 3 * BLOCK_BYTES : 100).fill(i),
    }))
    const segment = writeSegment(join(temporaryDir(), 'segment'), rows)
    for (let i = 0; i < 5_000; i++) {
      // Half of them repeat a few rows
      const row = Math.floor(random() * (i % 2 === 0 ? 8 : rows.length))
      expect(segment.find(number(row, 20), 1)?.value).toEqual(rows[row]?.value)
    }
    segment.release()
  })

  test('reads a block once for several lookups', () => {
    const rows = Array.from({ length: 8_000 }, (_, i) => ({
      key: number(i, 20),
      height: 1,
      value: new Uint8Array(100).fill(i),
    }))
    const path = join(temporaryDir(), 'segment')
    const segment = writeSegment(path, rows)
    const find = (row: number) => segment.find(number(row, 20), 1)?.value[0]
    expect(find(3)).toBe(3)
    truncateSync(path)
    expect(find(3)).toBe(3)
    expect(() => find(4_000)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPTED' }))
    segment.release()
  })

  test('stays readable until its last reference is released', () => {
    const rows = Array.from({ length: 300 }, (_, i) => ({
      key: number(i, 20),
      height: 1,
      value: number(i, 32),
    }))
    const segment = writeSegment(join(temporaryDir(), 'segment'), rows)
    const keys = segment.keys(NO_BYTES, ABOVE_ALL, false)
    expect(keys.next().value).toEqual(number(0, 20))
    const cursor = segment.cursor()
    segment.release()
    expect(cursor.next()).toBe(true)
    cursor.close()
    cursor.close()
    expect(segment.find(number(7, 20), 1)?.value).toEqual(number(7, 32))
    expect([...keys]).toHaveLength(299)
    const released = expect.objectContaining({ code: 'STORE_CORRUPTED' })
    expect(() => segment.find(number(7, 20), 1)).toThrow(released)
    expect(() => segment.keys(NO_BYTES, ABOVE_ALL, false).next()).toThrow(released)
    expect(() => segment.cursor()).toThrow(released)
    expect(() => segment.release()).toThrow(released)
  })

  test('returns values that later reads do not change', () => {
    const lengths = [32, 72, 200]
    const rows = lengths.map((length) => ({
      key: number(length, 20),
      height: 1,
      value: number(length, length),
    }))
    const segment = writeSegment(join(temporaryDir(), 'segment'), rows)
    const find = (length: number) => segment.find(number(length, 20), 1)?.value
    const found = lengths.map(find)
    for (let again = 0; again < 2_000; again++) lengths.forEach(find)
    expect(found).toEqual(lengths.map((length) => number(length, length)))
    // Short values share one array. A long value gets its own, which would otherwise keep the shared one in memory.
    expect(found.map((value) => value?.buffer.byteLength)).toEqual([65_536, 65_536, 200])
    segment.release()
  })
})

describe('the segment writer', () => {
  const write = (writer: SegmentWriter, key: Uint8Array, height: number): void =>
    writer.add(key, 0, key.length, height, NO_BYTES, 0, 0)

  test('refuses rows that do not come after the last row', () => {
    const last: [Uint8Array, number] = [Uint8Array.of(5, 5, 5, 5), 7]
    const refused: [Uint8Array, number][] = [
      last,
      [last[0], 8],
      [Uint8Array.of(5, 5, 5, 4), 1],
      [Uint8Array.of(4, 9, 9, 9, 9), 1],
      [Uint8Array.of(5, 5, 5), 1],
      [Uint8Array.of(5, 5, 5, 5, 5), 1],
      [NO_BYTES, 1],
    ]
    for (const [key, height] of refused) {
      const writer = new SegmentWriter(join(temporaryDir(), 'segment'), 2)
      write(writer, ...last)
      expect(() => write(writer, key, height)).toThrow(
        expect.objectContaining({
          code: 'STORE_CORRUPTED',
          message: expect.stringMatching(/is not above the row before it$/),
        }),
      )
      writer.abort()
    }
  })

  test('refuses a key that is too long', () => {
    const writer = new SegmentWriter(join(temporaryDir(), 'segment'), 2)
    write(writer, new Uint8Array(65_535), 1)
    expect(() => write(writer, new Uint8Array(65_536), 1)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
    writer.abort()
  })

  test('removes the file on abort', () => {
    const path = join(temporaryDir(), 'segment')
    const writer = new SegmentWriter(path, 2)
    write(writer, number(1, 20), 1)
    expect(existsSync(path)).toBe(true)
    writer.abort()
    writer.abort()
    expect(existsSync(path)).toBe(false)
  })

  test.runIf(existsSync('/dev/full'))('reports a full disk', () => {
    const full = expect.objectContaining({ code: 'STORE_FULL' })
    const value = new Uint8Array(1 << 20)
    const path = join(temporaryDir(), 'segment')
    symlinkSync('/dev/full', path)
    const late = new SegmentWriter(path, 2)
    write(late, number(1, 20), 1)
    expect(() => late.finish()).toThrow(full)
    const early = new SegmentWriter(path, 2)
    expect(() => {
      for (let i = 0; i < 3; i++) early.add(number(i, 20), 0, 20, 1, value, 0, value.length)
    }).toThrow(full)
    late.abort()
    early.abort()
    expect(existsSync(path)).toBe(false)
    expect(existsSync('/dev/full')).toBe(true)
  })

  test('reports a file that cannot be created', () => {
    expect(() => new SegmentWriter(join(temporaryDir(), 'none', 'segment'), 1)).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPTED' }),
    )
  })
})
