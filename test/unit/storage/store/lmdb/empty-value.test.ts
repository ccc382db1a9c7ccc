import { expect, test } from 'vitest'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import { UnsyncedLog } from '../../../../../host/storage/store/wal/unsynced-log.ts'
import { temporaryDir } from '../temporary-storage.ts'

/** Returns empty bytes whose `buffer` has been read. Node then gives native code a null pointer for them. */
function seen(): Uint8Array {
  const bytes = new Uint8Array(0)
  return new DataView(bytes.buffer).byteLength === 0 ? bytes : bytes.slice()
}

test('an empty value keeps the checksum of its row after its buffer was accessed', async () => {
  const dir = temporaryDir()
  const key = Uint8Array.of(1)
  const env = new LmdbEnv(dir)
  const rows = env.table('rows')
  env.write(() => rows.put(key, seen()))
  expect(rows.get(key)).toEqual(new Uint8Array(0))
  await env.close()
  const again = new LmdbEnv(dir)
  expect(again.table('rows').get(key)).toEqual(new Uint8Array(0))
  await again.close()
})

test('an empty record keeps the checksum of its frame after its buffer was accessed', () => {
  const path = `${temporaryDir()}/log`
  const log = new UnsyncedLog(path)
  log.append(seen())
  log.append(Uint8Array.of(1))
  log.close()
  const again = new UnsyncedLog(path)
  expect(again.records.map(({ length }) => length)).toEqual([0, 1])
  again.close()
})
