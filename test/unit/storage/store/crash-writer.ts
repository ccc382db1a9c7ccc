/**
 * Appends blocks until it is killed, and prints each height that `append` and `commit` acknowledged.
 * crash.slow.test.ts runs it as a child process: `crash-writer.ts <dir> <split> <commit.wasm>`.
 */
import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openCommitter } from '../../../../host/storage/commit/lmdb-committer.ts'
import { openStorage } from '../../../../host/storage/store/open-storage.ts'
import { crashRecord } from './crash-chain.ts'

const [, , dir = '', split = '', wasm = ''] = process.argv
const storage = await openStorage({
  dir,
  backend: 'lmdb',
  evmSplit: split === 'true',
  evmSeparateDbs: true,
  keepRecent: 40,
  retainBlocks: 0,
  flushInterval: 3,
})
const committer = await openCommitter({
  dir: join(dir, 'committer.db'),
  module: new WebAssembly.Module(readFileSync(wasm)),
})
for (const missing of storage.changesets(committer.version + 1)) {
  await committer.stage(missing)
  await committer.commit()
}
for (let height = storage.chain.latest + 1; ; height++) {
  const record = crashRecord(height)
  const appHash = await committer.stage(record.changeset)
  await storage.append(record)
  await committer.commit()
  // Synchronous, so that every printed height was acknowledged.
  writeSync(1, `${height} ${Buffer.from(appHash).toString('hex')}\n`)
  await new Promise((resolve) => setImmediate(resolve))
}
