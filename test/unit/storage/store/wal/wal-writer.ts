/**
 * Appends records to a write-ahead log until it is killed, some awaited and some in flight, and prints each
 * acknowledged height. wal-kill.slow.test.ts runs it as a child process: `wal-writer.ts <dir> <seed>`.
 */
import { writeSync } from 'node:fs'
import { WriteAheadLog } from '../../../../../host/storage/store/wal/write-ahead-log.ts'
import { makeRandom } from '../../../../support/random.ts'
import { WRITER_FILE_BYTES, walRecord } from './wal-records.ts'

const [, , dir = '', seed = ''] = process.argv
const random = makeRandom(Number(seed))
const wal = WriteAheadLog.open(dir, { fileBytes: WRITER_FILE_BYTES })
for (let height = Math.max(wal.latest + 1, 1); ; height++) {
  const synced = wal.append(height, walRecord(height)).then(() => {
    // Synchronous, so that every printed height was acknowledged.
    writeSync(1, `${height}\n`)
  })
  if (random() < 0.5) await synced
  if (height % 40 === 0) wal.prune(height - 30)
  if (height % 25 === 0) wal.raisePruneHeight(height - 20)
}
