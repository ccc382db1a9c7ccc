/**
 * Appends records to a log until it is killed, some awaited and some in flight, and says each height that
 * was acknowledged. Run as a process of its own by log-files.test.ts: `log-writer.ts <dir> <seed>`.
 */
import { writeSync } from 'node:fs'
import { LogFiles } from '../../../../host/store/wal/write-ahead-log.ts'
import { makeRandom } from '../../../support/random.ts'
import { logRecord, WRITER_FILE_BYTES } from './log-records.ts'

const [, , dir = '', seed = ''] = process.argv
const random = makeRandom(Number(seed))
const log = LogFiles.open(dir, { fileBytes: WRITER_FILE_BYTES })
for (let height = Math.max(log.latest + 1, 1); ; height++) {
  const synced = log.append(height, logRecord(height)).then(() => {
    // Synchronous, so that what was said was done.
    writeSync(1, `${height}\n`)
  })
  if (random() < 0.5) await synced
  if (height % 40 === 0) log.prune(height - 30)
  if (height % 25 === 0) log.raiseFloor(height - 20)
}
