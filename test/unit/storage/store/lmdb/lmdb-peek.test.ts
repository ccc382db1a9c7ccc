import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { LmdbEnv, type LmdbRow } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import { LmdbPeek } from '../../../../../host/storage/store/lmdb/lmdb-peek.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'

const seed = runSeed()
const random = makeRandom(seed)
const below = (limit: number): number => Math.floor(random() * limit)

const dir = mkdtempSync(join(tmpdir(), 'lockstep-peek-'))
const data = join(dir, 'data.mdb')
let rows: LmdbRow[]

beforeAll(async () => {
  const env = new LmdbEnv(dir)
  const table = env.table('rows')
  env.table('empty')
  for (let round = 0; round < 6; round++) {
    env.write(() => {
      for (let i = 0; i < 200; i++) {
        const key = Buffer.from(`key ${below(900)}`)
        if (below(3) === 0) table.remove(key)
        else table.put(key, Buffer.alloc(below(40) === 0 ? below(30_000) : below(60), i))
      }
    })
  }
  rows = [...table.range({})]
  await env.close()
})
afterAll(() => rmSync(dir, { recursive: true }))

function peek<Result>(read: (peek: LmdbPeek) => Result): Result {
  const opened = LmdbPeek.open(dir)
  if (opened === undefined) throw new Error('there is no environment')
  try {
    return read(opened)
  } finally {
    opened.close()
  }
}

test(`a peek finds exactly the rows that LMDB finds (seed ${seed})`, () => {
  peek((env) => {
    for (const { key, value } of rows) expect(env.get('rows', key)).toEqual(value)
    const keys = new Set(rows.map(({ key }) => Buffer.from(key).toString()))
    for (let i = 0; i < 900; i++) {
      const key = `key ${i}`
      if (!keys.has(key)) expect(env.get('rows', Buffer.from(key))).toBeUndefined()
    }
    expect(env.last('rows')).toEqual(rows.at(-1))
    expect(env.last('empty')).toBeUndefined()
    expect(env.last('missing')).toBeUndefined()
  })
})

test('a peek writes no file, not even a lock file', () => {
  rmSync(join(dir, 'lock.mdb'), { force: true })
  const before = readFileSync(data)
  peek((env) => env.last('rows'))
  expect(readFileSync(data).equals(before)).toBe(true)
  expect(() => readFileSync(join(dir, 'lock.mdb'))).toThrow('ENOENT')
})

test(`a peek at a file with any content returns a value or reports damage (seed ${seed})`, () => {
  const sound = readFileSync(data)
  try {
    let refused = 0
    for (let round = 0; round < 200; round++) {
      const bytes = Buffer.from(sound)
      for (let i = 0; i < 40; i++) bytes[below(bytes.length)] = below(256)
      writeFileSync(data, bytes.subarray(0, round % 5 === 0 ? below(bytes.length) : bytes.length))
      try {
        peek((env) => {
          env.last('rows')
          env.get('rows', rows[below(rows.length)]?.key ?? Buffer.alloc(1))
        })
      } catch (thrown) {
        if (thrown instanceof Error && thrown.message === 'there is no environment') continue
        expect(thrown).toBeInstanceOf(LockstepError)
        expect((thrown as LockstepError).message).toContain('Database is corrupted')
        refused++
      }
    }
    expect(refused).toBeGreaterThan(10)
  } finally {
    writeFileSync(data, sound)
  }
})
