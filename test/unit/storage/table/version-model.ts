import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bytesKey, compareBytes } from '../../../../host/base/bytes.ts'
import { Segment } from '../../../../host/storage/table/segment.ts'
import { SegmentWriter } from '../../../../host/storage/table/segment-writer.ts'
import type { Version } from '../../../../host/storage/table/version.ts'
import { runSeed } from '../../../support/random.ts'

export interface ModelRow {
  readonly key: Uint8Array
  readonly height: number
  readonly value: Uint8Array
}

/** Reproduces the random data of a run. */
export const seed = runSeed()

export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-table-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export function compareRows(a: ModelRow, b: ModelRow): number {
  return compareBytes(a.key, b.key) || b.height - a.height
}

/** Rows in the order of a segment, kept as a plain array. */
export class VersionModel {
  readonly rows: readonly ModelRow[]
  readonly #rowsOfKey = new Map<string, ModelRow[]>()

  constructor(rows: readonly ModelRow[]) {
    this.rows = rows.toSorted(compareRows)
    for (const row of this.rows) {
      const key = bytesKey(row.key)
      const versions = this.#rowsOfKey.get(key)
      if (versions === undefined) this.#rowsOfKey.set(key, [row])
      else versions.push(row)
    }
  }

  find(key: Uint8Array, height: number): Version | undefined {
    const row = this.#rowsOfKey.get(bytesKey(key))?.find((row) => row.height <= height)
    return row && { height: row.height, value: row.value }
  }

  keys(start: Uint8Array, end: Uint8Array, reverse: boolean): Uint8Array[] {
    const keys: Uint8Array[] = []
    for (const { key } of this.rows) {
      const isNew = keys.length === 0 || compareBytes(keys.at(-1) as Uint8Array, key) !== 0
      if (isNew && compareBytes(key, start) >= 0 && compareBytes(key, end) < 0) keys.push(key)
    }
    return reverse ? keys.reverse() : keys
  }

  distinctKeys(): Uint8Array[] {
    return this.keys(new Uint8Array(0), new Uint8Array(2000).fill(255), false)
  }
}

function below(random: () => number, limit: number): number {
  return Math.floor(random() * limit)
}

/** Returns a key of `length` to `length + 40` bytes that contains its length, so that no key is a prefix of another. */
export function randomKey(random: () => number, distinctBytes: number): Uint8Array {
  const extra = below(random, 4) === 0 ? below(random, 40) : 0
  const key = new Uint8Array(3 + extra)
  key[0] = 1 + extra
  for (let i = 1; i < key.length; i++) key[i] = below(random, distinctBytes)
  return key
}

/** Returns rows of heights from `lowest` to `highest` with keys of many lengths; every fifth is a tombstone. */
export function randomRows(
  random: () => number,
  count: number,
  lowest: number,
  highest: number,
): ModelRow[] {
  const rows = new Map<string, ModelRow>()
  for (let i = 0; i < count; i++) {
    const key = randomKey(random, 8)
    const height = lowest + below(random, highest - lowest + 1)
    const length = below(random, 5) === 0 ? 0 : below(random, 50) === 0 ? below(random, 9000) : 9
    const value = Uint8Array.from({ length }, () => below(random, 256))
    rows.set(`${key.join()}:${height}`, { key, height, value })
  }
  return [...rows.values()]
}

export function writeSegment(path: string, rows: readonly ModelRow[]): Segment {
  const writer = new SegmentWriter(path, rows.length)
  for (const { key, height, value } of rows.toSorted(compareRows)) {
    writer.add(key, 0, key.length, height, value, 0, value.length)
  }
  writer.finish()
  return Segment.open(path)
}

/** Returns all rows of a segment in cursor order. */
export function rowsOf(segment: Segment): ModelRow[] {
  const rows: ModelRow[] = []
  const cursor = segment.cursor()
  while (cursor.next()) {
    const bytes = new Uint8Array(cursor.words.buffer)
    const key = (cursor.start + 1) * 4
    const padding = (cursor.words[cursor.start] as number) >>> 16
    rows.push({
      key: bytes.slice(key, key + cursor.keyLength),
      height: cursor.height,
      value: bytes.slice(key + cursor.keyLength + 8, cursor.end * 4 - padding),
    })
  }
  cursor.close()
  return rows
}
