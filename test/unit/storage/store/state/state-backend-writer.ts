/**
 * Flushes block after block into the databases of a split store, and prints each flushed height.
 * state-backend.sized.test.ts runs it as a child process: `state-backend-writer.ts <backend> <dir> <to>`.
 */
import { writeSync } from 'node:fs'
import { crashRecord } from '../crash-chain.ts'
import { backendOf, openSplit, TestWal } from './state-backends.ts'

const [, , name = '', dir = '', to = ''] = process.argv
const { backend, close } = backendOf(name).start()
const databases = await openSplit(backend, dir)
const latest = Math.min(...databases.map((database) => database.latest))
const wal = new TestWal(dir)
for (let height = 0; height <= Number(to); height++) {
  wal.append(crashRecord(height))
  if (height <= latest) continue
  await backend.flush(databases, { wal, first: 0, to: height, also: () => [] })
  // Synchronous, so that every printed height was flushed.
  writeSync(1, `${height}\n`)
}
await close(databases)
await wal.close()
