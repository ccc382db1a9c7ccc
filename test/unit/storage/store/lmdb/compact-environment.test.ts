import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compactEnvironment } from '../../../../../host/storage/store/lmdb/compact-environment.ts'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import { temporaryDir } from '../temporary-storage.ts'

const ROWS = 2000

function keyOf(row: number): Uint8Array {
  return Uint8Array.of(row >>> 8, row & 0xff)
}

const contentOf = (row: number): Uint8Array => new Uint8Array(500).fill(row)

/** Writes many rows to two tables, and removes all but every twentieth. */
async function writeSparse(dir: string): Promise<void> {
  const env = new LmdbEnv(dir, { tables: ['rows', 'empty'] })
  const rows = env.table('rows')
  env.write(() => {
    for (let row = 0; row < ROWS; row++) rows.put(keyOf(row), contentOf(row))
  })
  env.write(() => {
    for (let row = 0; row < ROWS; row++) if (row % 20 !== 0) rows.remove(keyOf(row))
  })
  await env.close()
}

async function rowsOf(dir: string): Promise<readonly (readonly [string, string])[]> {
  const env = new LmdbEnv(dir)
  const rows = [...env.table('rows').range({})].map(
    ({ key, value }) =>
      [Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex')] as const,
  )
  await env.close()
  return rows
}

test('a compacted environment has the same rows in a fraction of the space', async () => {
  const dir = temporaryDir()
  await writeSparse(dir)
  const before = await rowsOf(dir)
  const { size } = statSync(join(dir, 'data.mdb'))
  await compactEnvironment(dir)
  expect(statSync(join(dir, 'data.mdb')).size).toBeLessThan(size / 4)
  expect(readdirSync(dir).sort()).toEqual(['data.mdb', 'lock.mdb'])
  expect(await rowsOf(dir)).toEqual(before)
  expect(before).toHaveLength(ROWS / 20)

  const env = new LmdbEnv(dir)
  env.write(() => env.table('rows').put(keyOf(1), contentOf(1)))
  expect(env.table('rows').get(keyOf(1))).toEqual(contentOf(1))
  await env.close()
})

test('what an interrupted compaction left is removed', async () => {
  const dir = temporaryDir()
  await writeSparse(dir)
  const before = await rowsOf(dir)
  mkdirSync(join(dir, 'compacting'))
  writeFileSync(join(dir, 'compacting', 'data.mdb'), 'half a copy')
  await compactEnvironment(dir)
  expect(readdirSync(dir).sort()).toEqual(['data.mdb', 'lock.mdb'])
  expect(await rowsOf(dir)).toEqual(before)
})

test('a damaged environment is not compacted', async () => {
  const dir = temporaryDir()
  await writeSparse(dir)
  const path = join(dir, 'data.mdb')
  const bytes = readFileSync(path)
  // Free pages hold older copies of the row.
  const row = Buffer.from(contentOf(40))
  for (let at = bytes.indexOf(row); at >= 0; at = bytes.indexOf(row, at + 1)) {
    bytes[at] = (bytes[at] as number) ^ 1
  }
  writeFileSync(path, bytes)
  await expect(compactEnvironment(dir)).rejects.toMatchObject({ code: 'STORE_CORRUPTED' })
  expect(readFileSync(path).equals(bytes)).toBe(true)
  expect(readdirSync(dir).sort()).toEqual(['data.mdb', 'lock.mdb'])
})

test('a folder without an environment stays as it is', async () => {
  const dir = temporaryDir()
  await compactEnvironment(dir)
  expect(readdirSync(dir)).toEqual([])
})
