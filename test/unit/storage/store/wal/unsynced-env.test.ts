import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import {
  takeUnsyncedRows,
  UnsyncedEnv,
} from '../../../../../host/storage/store/wal/unsynced-env.ts'
import { UnsyncedLog } from '../../../../../host/storage/store/wal/unsynced-log.ts'
import { temporaryDir } from '../temporary-storage.ts'

const NAMES = ['a', 'b']
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
const text = (value: Uint8Array | undefined): string | undefined =>
  value && Buffer.from(value).toString()

interface Reads {
  range(range: {
    start?: Uint8Array
    end?: Uint8Array
    reverse?: boolean
    limit?: number
  }): Iterable<{
    readonly key: Uint8Array
    readonly value: Uint8Array
  }>
}

const rows = (table: Reads, range = {}): string[] =>
  Array.from(table.range(range), ({ key, value }) => `${text(key)}=${text(value)}`)

const writes = fc.array(
  fc.record({
    table: fc.constantFrom(...NAMES),
    key: fc.constantFrom('k', 'k1', 'k2', 'l', 'm'),
    value: fc.option(fc.constantFrom('', 'x', 'yy'), { nil: undefined }),
  }),
  { maxLength: 6 },
)
const step = fc.oneof(
  { weight: 6, arbitrary: writes.map((each) => ({ kind: 'write' as const, writes: each })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'close' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
)

test('rows read as from an environment that writes at once, also after a kill or a restart without the log', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      let dir = temporaryDir()
      const model = new Map<string, string>()
      let env = new UnsyncedEnv(dir, NAMES)
      for (const each of steps) {
        if (each.kind === 'write') {
          env.write(() => {
            for (const { table, key, value } of each.writes) {
              if (value === undefined) env.table(table).remove(bytes(key))
              else env.table(table).put(bytes(key), bytes(value))
              if (value === undefined) model.delete(`${table}${key}`)
              else model.set(`${table}${key}`, value)
            }
          })
        } else if (each.kind === 'close') {
          await env.close()
          env = new UnsyncedEnv(dir, NAMES)
        } else {
          // A copy of the open files is what a killed process leaves.
          const left = temporaryDir()
          cpSync(dir, left, { recursive: true })
          await env.close()
          dir = left
          env = new UnsyncedEnv(dir, NAMES)
        }
        for (const name of NAMES) {
          const expected = [...model]
            .filter(([key]) => key.startsWith(name))
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, value]) => `${key.slice(1)}=${value}`)
          const table = env.table(name)
          expect(rows(table)).toEqual(expected)
          expect(rows(table, { reverse: true })).toEqual(expected.toReversed())
          expect(rows(table, { limit: 2 })).toEqual(expected.slice(0, 2))
          const between = expected.filter((row) => {
            const [key = ''] = row.split('=')
            return key >= 'k1' && key < 'l'
          })
          expect(rows(table, { start: bytes('k1'), end: bytes('l') })).toEqual(between)
          expect(text(table.get(bytes('k1')))).toBe(model.get(`${name}k1`))
        }
      }
      const left = temporaryDir()
      cpSync(dir, left, { recursive: true })
      await env.close()
      const plain = new LmdbEnv(left)
      takeUnsyncedRows(plain, NAMES)
      expect(
        NAMES.flatMap((name) => rows(plain.table(name)).map((row) => name + row)).sort(),
      ).toEqual([...model].map(([key, value]) => `${key}=${value}`).sort())
      await plain.close()
    }),
    { numRuns: 25 },
  )
})

test('an incomplete write is committed with the next one, and lost if its process is killed before that', async () => {
  const dir = temporaryDir()
  const env = new UnsyncedEnv(dir, NAMES)
  env.write(() => env.table('a').put(bytes('k'), bytes('1')), false)
  expect(rows(env.table('a'))).toEqual(['k=1'])
  const left = temporaryDir()
  cpSync(dir, left, { recursive: true })
  const without = new UnsyncedEnv(left, NAMES)
  expect(rows(without.table('a'))).toEqual([])
  await without.close()
  env.write(() => env.table('b').put(bytes('k'), bytes('2')))
  const both = temporaryDir()
  cpSync(dir, both, { recursive: true })
  const whole = new UnsyncedEnv(both, NAMES)
  expect([...rows(whole.table('a')), ...rows(whole.table('b'))]).toEqual(['k=1', 'k=2'])
  await whole.close()
  await env.close()
})

test('a log that is truncated at any byte keeps the records before it and accepts more', () => {
  const path = join(temporaryDir(), 'log')
  const log = new UnsyncedLog(path)
  const records = ['one', 'two', 'three'].map(bytes)
  for (const record of records) log.append(record)
  log.close()
  const whole = readFileSync(path)
  for (let end = 0; end <= whole.length; end++) {
    writeFileSync(path, whole)
    truncateSync(path, end)
    const cut = new UnsyncedLog(path)
    const kept = cut.records.map(text)
    expect(['one', 'two', 'three'].slice(0, kept.length)).toEqual(kept)
    if (end === whole.length) expect(kept).toHaveLength(3)
    cut.append(bytes('next'))
    cut.close()
    const again = new UnsyncedLog(path)
    expect(again.records.map(text)).toEqual([...kept, 'next'])
    again.close()
  }
})
