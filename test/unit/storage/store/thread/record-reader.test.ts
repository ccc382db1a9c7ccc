import { truncateSync } from 'node:fs'
import { expect, test } from 'vitest'
import { encodeRecord } from '../../../../../host/storage/store/codec/record-codec.ts'
import { WalRecordReader } from '../../../../../host/storage/store/thread/record-reader.ts'
import { WriteAheadLog } from '../../../../../host/storage/store/wal/write-ahead-log.ts'
import { blockRecord } from '../chain/block-records.ts'
import { temporaryDir } from '../temporary-storage.ts'

test('a cached record is read again only after it is removed or moved', async () => {
  const wal = WriteAheadLog.open(temporaryDir())
  const records = [1, 2].map((height) => encodeRecord(blockRecord(height, {}, 9)))
  for (const [i, { bytes }] of records.entries()) await wal.append(i + 1, bytes)
  const [first, second] = [wal.location(1), wal.location(2)]
  await wal.close()
  const reader = new WalRecordReader()
  expect(reader.read(first)).toEqual(records[0]?.parts)
  expect(reader.keep(second)).toEqual(records[1]?.parts)
  truncateSync(first.file, 0)
  const damaged = expect.objectContaining({ code: 'STORE_CORRUPTED' })
  expect(() => reader.read(first)).toThrow(damaged)
  expect(reader.read(second)).toEqual(records[1]?.parts)
  expect(reader.read({ ...second })).toEqual(records[1]?.parts)
  expect(() => reader.read({ ...second, offset: second.offset + 1 })).toThrow(damaged)
  reader.forget()
  expect(() => reader.read(second)).toThrow(damaged)
})
