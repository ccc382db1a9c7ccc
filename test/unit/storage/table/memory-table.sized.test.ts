import { describe, expect, test } from 'vitest'
import { MemoryTable } from '../../../../host/storage/table/memory-table.ts'
import type { Version } from '../../../../host/storage/table/version.ts'
import { makeRandom } from '../../../support/random.ts'
import { bySet } from '../../../support/run/by-set.ts'

const START = new Uint8Array(0)
const END = new Uint8Array(64).fill(255)

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'))
}

/** The same table as a Map of maps, with only the rule for heights. */
class Model {
  readonly versions = new Map<string, Version[]>()

  apply(height: number, key: Uint8Array, value: Uint8Array): void {
    const versions = this.versions.get(hex(key)) ?? []
    const newest = versions.at(-1)
    if (newest !== undefined && newest.height >= height) return
    versions.push({ height, value })
    this.versions.set(hex(key), versions)
  }

  find(key: string, height: number): Version | undefined {
    return this.versions.get(key)?.findLast((version) => version.height <= height)
  }

  keys(start: Uint8Array, end: Uint8Array): string[] {
    return [...this.versions.keys()].filter((key) => key >= hex(start) && key < hex(end)).sort()
  }

  /** Removes the versions up to `height`. */
  drop(height: number): void {
    for (const [key, versions] of this.versions) {
      const kept = versions.filter((version) => version.height > height)
      if (kept.length === 0) this.versions.delete(key)
      else this.versions.set(key, kept)
    }
  }

  /** Removes the versions above `height`. */
  cut(height: number): void {
    for (const [key, versions] of this.versions) {
      const kept = versions.filter((version) => version.height <= height)
      if (kept.length === 0) this.versions.delete(key)
      else this.versions.set(key, kept)
    }
  }

  get rows(): number {
    let rows = 0
    for (const versions of this.versions.values()) rows += versions.length
    return rows
  }

  get bytes(): number {
    let sum = 0
    for (const [key, versions] of this.versions) {
      for (const { value } of versions) sum += key.length / 2 + value.length
    }
    return sum
  }
}

function pack(rows: readonly (readonly [Uint8Array, Uint8Array])[], unaligned: number): Uint8Array {
  return new Uint8Array(Buffer.concat([new Uint8Array(unaligned), ...rows.flat()])).subarray(
    unaligned,
  )
}

function isSame(found: Version | undefined, written: Version | undefined): boolean {
  if (found === undefined || written === undefined) return found === written
  return found.height === written.height && Buffer.compare(found.value, written.value) === 0
}

function expectSame(table: MemoryTable, model: Model, top: number, probes: Iterable<string>): void {
  for (const key of probes) {
    for (const height of [top, top - 1, Math.floor(top / 2), 0]) {
      const [found, written] = [table.find(bytes(key), height), model.find(key, height)]
      // A matcher is slower than the table, so it runs only for a difference.
      if (!isSame(found, written)) expect(found, `${key} at ${height}`).toEqual(written)
    }
  }
  const [found, written] = [table.keys(START, END).map(hex), model.keys(START, END)]
  if (found.join() !== written.join()) expect(found).toEqual(written)
  expect(table.rows).toBe(model.rows)
  expect(table.isEmpty()).toBe(model.rows === 0)
}

describe.each([
  { width: 12, keyLength: 4, keys: 40 },
  { width: 41, keyLength: 7, keys: 3_000 },
  { width: 84, keyLength: 52, keys: 20_000 },
])('packed rows of $width bytes with $keys keys of $keyLength', ({ width, keyLength, keys }) => {
  test.each(bySet([11], [11, 12]))('are found as in a plain map (seed %i)', (seed) => {
    const random = makeRandom(seed)
    const below = (limit: number): number => Math.floor(random() * limit)
    const table = new MemoryTable()
    const model = new Model()
    const key = (): Uint8Array => {
      const made = new Uint8Array(keyLength).fill(9)
      new DataView(made.buffer).setUint32(below(2) === 0 ? 0 : keyLength - 4, below(keys))
      return made
    }
    const value = (): Uint8Array => {
      const made = new Uint8Array(width - keyLength)
      if (below(4) > 0) made[below(made.length)] = 1 + below(255)
      return made
    }
    let sealed = -1
    const blocks: [number, Uint8Array][] = []
    for (let height = 0; height < 24; height++) {
      const rows = Array.from({ length: below(2_500) }, () => [key(), value()] as const)
      const packed = pack(rows, below(8))
      blocks.push([height, packed])
      table.applyPacked(height, packed, width, keyLength)
      for (const [at, written] of rows) {
        model.apply(height, at, written.some((byte) => byte !== 0) ? written : new Uint8Array(0))
      }
      if (below(4) === 0) {
        table.seal()
        sealed = height
      }
      if (below(6) === 0) {
        table.dropSealed()
        model.drop(sealed)
        blocks.splice(0, blocks.findIndex(([at]) => at > sealed) >>> 0)
      }
      // Applying a retained block again must change nothing.
      const again = blocks[below(blocks.length)]
      if (again !== undefined && below(3) === 0) table.applyPacked(...again, width, keyLength)
      const probes = Array.from({ length: 60 }, () => hex(key()))
      expectSame(table, model, height, probes)
    }
    expectSame(table, model, 24, model.versions.keys())
    expect(table.bytes).toBe(table.rows * width)
  })
})

test.each([1, 2, 3])('loose rows of any length are found as in a plain map (seed %i)', (seed) => {
  const random = makeRandom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const table = new MemoryTable()
  const model = new Model()
  // One key is often a prefix of another, and lengths cross word and arena boundaries.
  const key = (): Uint8Array => new Uint8Array(1 + below(90)).fill(below(3))
  const made = (length: number): Uint8Array => Uint8Array.from({ length }, () => below(256))
  let sealed = -1
  for (let height = 0; height < 60; height++) {
    for (let i = below(40); i > 0; i--) {
      const [at, value] = [key(), made(below(10) === 0 ? below(20_000) : below(50))]
      table.apply(height, at, value)
      model.apply(height, at, value)
    }
    if (below(7) === 0) {
      table.seal()
      sealed = height
    }
    if (below(9) === 0) {
      table.dropSealed()
      model.drop(sealed)
    }
    const [start, end] = [key(), key()]
    expect(table.keys(start, end).map(hex)).toEqual(model.keys(start, end))
    expectSame(table, model, height, [...model.versions.keys(), hex(key())])
    expect(table.bytes).toBe(model.bytes)
  }
})

// Seed 2 has thousands of keys per height.
test.each(bySet([1, 3, 4, 6], [1, 2, 3, 4, 6]))(
  'removing the latest heights gives the same rows as in a plain map (seed %i)',
  (seed) => {
    const random = makeRandom(seed)
    const below = (limit: number): number => Math.floor(random() * limit)
    const table = new MemoryTable()
    const model = new Model()
    const most = [8, 300, 3_000][seed % 3] as number
    const packedKey = (): Uint8Array => {
      const made = new Uint8Array(6).fill(1)
      new DataView(made.buffer).setUint32(0, below(most))
      return made
    }
    const looseKey = (): Uint8Array => new Uint8Array(1 + below(70)).fill(below(3))
    const top = 40
    for (let height = 0; height < 160; height++) {
      const at = height % top
      if (at === 0) {
        table.cut(-1)
        model.cut(-1)
      }
      const rows = Array.from({ length: below(most) }, () => [packedKey(), packedKey()] as const)
      table.applyPacked(at, pack(rows, below(8)), 12, 6)
      for (const [key, value] of rows) {
        model.apply(at, key, value)
      }
      for (let i = below(6); i > 0; i--) {
        const [key, value] = [
          looseKey(),
          new Uint8Array(below(3) === 0 ? below(9_000) : 3).fill(at),
        ]
        table.apply(at, key, value)
        model.apply(at, key, value)
      }
      if (below(12) === 0) {
        table.seal()
        // Drop the sealed memtable before heights are removed.
        table.dropSealed()
        model.drop(at)
      }
      if (below(3) === 0) table.keys(START, END)
      if (below(4) > 0) continue
      const kept = Math.max(-1, at - below(6))
      table.cut(kept)
      model.cut(kept)
      expectSame(
        table,
        model,
        top,
        [...model.versions.keys()].slice(0, 300).concat(hex(packedKey())),
      )
      expect(table.bytes).toBe(model.bytes)
      height -= at - kept
    }
  },
)

test('a loose row and its key are copied, and a packed row is referenced', () => {
  const table = new MemoryTable()
  const key = bytes('0102')
  const value = bytes('0304')
  table.apply(1, key, value)
  key.fill(0)
  value.fill(0)
  expect(table.find(bytes('0102'), 1)).toEqual({ height: 1, value: bytes('0304') })
  const packed = bytes('05060708')
  table.applyPacked(2, packed, 4, 2)
  expect(table.find(bytes('0506'), 2)?.value.buffer).toBe(packed.buffer)
  const [first] = table.keys(bytes('05'), bytes('06'))
  first?.fill(0)
  expect(table.find(bytes('0506'), 2)?.value).toEqual(bytes('0708'))
})

test('a packed value of zeros is a tombstone, and a loose one is a value', () => {
  const table = new MemoryTable()
  table.applyPacked(1, bytes('aa0000bb0001'), 3, 1)
  table.apply(1, bytes('cc'), bytes('0000'))
  table.apply(1, bytes('dd'), bytes(''))
  expect(table.find(bytes('aa'), 5)).toEqual({ height: 1, value: bytes('') })
  expect(table.find(bytes('bb'), 5)).toEqual({ height: 1, value: bytes('0001') })
  expect(table.find(bytes('cc'), 5)).toEqual({ height: 1, value: bytes('0000') })
  expect(table.find(bytes('dd'), 5)).toEqual({ height: 1, value: bytes('') })
  expect(table.find(bytes('ee'), 5)).toBeUndefined()
})

test('of two rows with one key and height the first is retained', () => {
  const table = new MemoryTable()
  table.applyPacked(3, bytes('aa01aa02'), 2, 1)
  table.apply(3, bytes('aa'), bytes('03'))
  table.seal()
  table.applyPacked(3, bytes('aa04'), 2, 1)
  table.applyPacked(2, bytes('aa05'), 2, 1)
  expect(table.find(bytes('aa'), 3)).toEqual({ height: 3, value: bytes('01') })
  expect(table.find(bytes('aa'), 2)).toBeUndefined()
  expect(table.rows).toBe(1)
})

test('heights above 32 bits are distinguished', () => {
  const table = new MemoryTable()
  const high = 2 ** 40
  table.apply(5, bytes('aa'), bytes('01'))
  table.applyPacked(high, bytes('aa02'), 2, 1)
  table.apply(high + 1, bytes('aa'), bytes('03'))
  expect(table.find(bytes('aa'), high - 1)?.value).toEqual(bytes('01'))
  expect(table.find(bytes('aa'), high)).toEqual({ height: high, value: bytes('02') })
  expect(table.find(bytes('aa'), high + 1)).toEqual({ height: high + 1, value: bytes('03') })
})

test('rows added after sealing survive the drop, and a table that is sealed twice is dropped at once', () => {
  const table = new MemoryTable()
  table.apply(1, bytes('01'), bytes('aa'))
  table.seal()
  table.apply(2, bytes('02'), bytes('bb'))
  table.dropSealed()
  expect(table.keys(START, END).map(hex)).toEqual(['02'])
  table.dropSealed()
  expect(table.rows).toBe(1)
  table.seal()
  table.apply(3, bytes('03'), bytes('cc'))
  table.seal()
  table.seal()
  table.dropSealed()
  expect(table.isEmpty()).toBe(true)
  expect(table.bytes).toBe(0)
})

test('keys beyond the capacity of one memtable are found in the next ones', () => {
  const table = new MemoryTable()
  const perHeight = 200_000
  for (let height = 0; height < 8; height++) {
    const rows = new Uint8Array(perHeight * 5)
    const view = new DataView(rows.buffer)
    for (let i = 0; i < perHeight; i++) {
      view.setUint32(i * 5, height * (perHeight / 2) + i)
      rows[i * 5 + 4] = height + 1
    }
    table.applyPacked(height, rows, 5, 4)
  }
  expect(table.rows).toBe(8 * perHeight)
  const key = new Uint8Array(4)
  for (let id = 0; id < 4.5 * perHeight; id += 101) {
    new DataView(key.buffer).setUint32(0, id)
    const newest = Math.min(7, Math.floor(id / (perHeight / 2)))
    const written = { height: newest, value: Uint8Array.of(newest + 1) }
    const found = table.find(key, 9)
    if (!isSame(found, written)) expect(found, `key ${id}`).toEqual(written)
  }
  table.seal()
  table.dropSealed()
  expect(table.isEmpty()).toBe(true)
})
