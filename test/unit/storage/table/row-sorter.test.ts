import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { RowSorter } from '../../../../host/storage/table/row-sorter.ts'
import { Segment } from '../../../../host/storage/table/segment.ts'
import { SegmentWriter } from '../../../../host/storage/table/segment-writer.ts'
import { makeRandom } from '../../../support/random.ts'
import { type ModelRow, rowsOf, seed, temporaryDir, VersionModel } from './version-model.ts'

function sorted(sorter: RowSorter): ModelRow[] {
  const path = join(temporaryDir(), 'segment')
  const writer = new SegmentWriter(path, sorter.rows)
  sorter.writeTo(writer)
  writer.finish()
  const segment = Segment.open(path)
  const rows = rowsOf(segment)
  segment.release()
  return rows
}

/** Feeds rows to a sorter and to a model. Of two rows with one key and height the later is retained. */
class Feed {
  readonly sorter = new RowSorter()
  readonly #rows = new Map<string, ModelRow>()

  packed(height: number, bytes: Uint8Array, width: number, keyLength: number): void {
    this.sorter.addPacked(height, bytes, width, keyLength)
    for (let at = 0; at < bytes.length; at += width) {
      const value = bytes.slice(at + keyLength, at + width)
      const isZero = value.every((byte) => byte === 0)
      this.#keep(height, bytes.slice(at, at + keyLength), isZero ? new Uint8Array(0) : value)
    }
  }

  single(height: number, key: Uint8Array, value: Uint8Array): void {
    this.sorter.add(height, key, value)
    this.#keep(height, key, value)
  }

  get expected(): readonly ModelRow[] {
    return new VersionModel([...this.#rows.values()]).rows
  }

  #keep(height: number, key: Uint8Array, value: Uint8Array): void {
    this.#rows.set(`${Buffer.from(key).toString('hex')}:${height}`, { height, key, value })
  }
}

function expectSorted({ sorter, expected }: Feed): void {
  const found = sorted(sorter)
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected)
}

function packedRows(
  random: () => number,
  rows: number,
  width: number,
  keyAt: (row: number) => number[],
): Uint8Array {
  const bytes = new Uint8Array(rows * width)
  for (let row = 0; row < rows; row++) {
    const at = row * width
    bytes.set(keyAt(row), at)
    if (random() < 0.8) bytes[at + width - 1] = random() * 256
  }
  return bytes
}

describe(`the row sorter (LOCKSTEP_SEED=${seed})`, () => {
  const random = makeRandom(seed)
  const bytesOf = (length: number, limit: number): number[] =>
    Array.from({ length }, () => Math.floor(random() * limit))

  test('sorts keys of any bytes at several heights', () => {
    const feed = new Feed()
    for (const height of [3, 4, 9, 7]) {
      feed.packed(
        height,
        packedRows(random, 20_000, 30, () => bytesOf(20, 256)),
        30,
        20,
      )
    }
    expect(feed.sorter.rows).toBe(80_000)
    expectSorted(feed)
  })

  test('sorts thousands of keys with a long common prefix', () => {
    const feed = new Feed()
    const shared = bytesOf(37, 256)
    const packed = packedRows(random, 30_000, 84, () => [
      ...shared,
      ...bytesOf(2, 256),
      ...bytesOf(13, 2),
    ])
    feed.packed(5, packed, 84, 52)
    feed.packed(
      6,
      packedRows(random, 3000, 84, () => bytesOf(52, 2)),
      84,
      52,
    )
    expectSorted(feed)
  })

  test('keeps the later of two rows with one key and height', () => {
    const feed = new Feed()
    for (const height of [2, 1, 2, 3, 1]) {
      feed.packed(
        height,
        packedRows(random, 2000, 8, () => [1, 2, 3, ...bytesOf(1, 200)]),
        8,
        4,
      )
      for (let i = 0; i < 50; i++) {
        feed.single(
          height,
          Uint8Array.of(1, 2, 3, ...bytesOf(1, 200)),
          Uint8Array.from(bytesOf(i % 3, 2)),
        )
      }
    }
    expectSorted(feed)
  })

  test('sorts thousands of versions of one key, in any order of heights', () => {
    const feed = new Feed()
    for (let i = 0; i < 5000; i++) {
      feed.packed(
        Math.floor(random() * 8000),
        packedRows(random, 1, 24, () => bytesOf(20, 1)),
        24,
        20,
      )
    }
    expectSorted(feed)
  })

  test('sorts keys of many lengths that are no prefixes of each other', () => {
    const feed = new Feed()
    for (let i = 0; i < 5000; i++) {
      const key = [...bytesOf(Math.floor(random() * 12), 2), 2 + Math.floor(random() * 3)]
      feed.single(i % 7, Uint8Array.from(key), Uint8Array.from(bytesOf(i % 40, 3)))
    }
    expectSorted(feed)
  })

  test('distinguishes a value of zeros from a deletion in loose rows', () => {
    const sorter = new RowSorter()
    sorter.add(1, Uint8Array.of(1), new Uint8Array(4))
    sorter.addPacked(1, Uint8Array.of(2, 0, 0), 3, 1)
    sorter.addPacked(1, new Uint8Array(0), 3, 1)
    expect(sorted(sorter).map(({ value }) => value.length)).toEqual([4, 0])
    expect(sorted(new RowSorter())).toEqual([])
  })
})
