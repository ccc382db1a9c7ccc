/**
 * Flushes block after block into the members of a split store, and says each height that is flushed. Run
 * as a process of its own by state-backend.test.ts: `state-backend-writer.ts <backend> <dir> <to>`.
 */
import { writeSync } from 'node:fs'
import { crashRecord } from '../crash-chain.ts'
import { backendOf, openSplit, TestLog } from './state-backends.ts'

const [, , name = '', dir = '', to = ''] = process.argv
const { backend, close } = backendOf(name).start()
const members = await openSplit(backend, dir)
const latest = Math.min(...members.map((member) => member.latest))
const log = new TestLog(dir)
for (let height = 0; height <= Number(to); height++) {
  log.append(crashRecord(height))
  if (height <= latest) continue
  await backend.flush(members, { log, first: 0, to: height, also: () => [] })
  // Synchronous, so that what was said was done.
  writeSync(1, `${height}\n`)
}
await close(members)
await log.close()
