/**
 * Exports or imports a snapshot and prints each step. kill.slow.test.ts runs it as a child process and kills it:
 * `snapshot-child.ts export <home> <commit.wasm>`, `snapshot-child.ts import <snapshot> <home> <commit.wasm>`.
 */
import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ConsensusBlockStore } from '../../../../host/chain/consensus/embedded/block-store.ts'
import { exportSnapshot } from '../../../../host/chain/snapshot/export-snapshot.ts'
import { importSnapshot } from '../../../../host/chain/snapshot/import-snapshot.ts'
import { openStorage } from '../../../../host/storage/store/open-storage.ts'
import { genesis } from './random-chain.ts'
import { importOptions, SEPARATE, storageOptions } from './snapshot-home.ts'

const [, , task, ...args] = process.argv
// Synchronous, so that every printed step has happened.
const say = (step: string): void => void writeSync(1, `${step}\n`)

if (task === 'export') {
  const [dir = ''] = args
  const storage = await openStorage(storageOptions(dir, SEPARATE))
  const decided = new ConsensusBlockStore(join(dir, 'blockstore.db'))
  say('begins')
  await exportSnapshot({
    genesis,
    chain: storage.chain,
    decided,
    stateCommit: join(dir, 'committer.db'),
    folder: join(dir, 'snapshots'),
    chunkBytes: 4096,
    onChunk: () => say('chunk'),
  })
  say('done')
  await storage.close()
  await decided.close()
} else {
  const [dir = '', to = '', wasm = ''] = args
  const options = importOptions(dir, to, SEPARATE, new WebAssembly.Module(readFileSync(wasm)))
  say('begins')
  await importSnapshot({ ...options, onStep: ({ kind }) => say(kind) })
  say('done')
}
