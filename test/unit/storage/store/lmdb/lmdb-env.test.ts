import { expect, test } from 'vitest'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import { temporaryDir } from '../temporary-storage.ts'

test('rows of any length in several tables keep their values when written in one transaction', async () => {
  const dir = temporaryDir()
  const env = new LmdbEnv(dir, { tables: ['a', 'b'] })
  const rows = [0, 1, 2, 8, 251, 252, 253, 5000].flatMap((length) =>
    [1, 2, 3].map((number) => ({
      name: number === 2 ? 'b' : 'a',
      key: Uint8Array.of(length >> 8, length & 255, number),
      value: new Uint8Array(length).fill(number),
    })),
  )
  env.write(() => {
    for (const { name, key, value } of rows) env.table(name).put(key, value)
  })
  await env.close()
  const again = new LmdbEnv(dir)
  for (const { name, key, value } of rows) expect(again.table(name).get(key)).toEqual(value)
  await again.close()
})
