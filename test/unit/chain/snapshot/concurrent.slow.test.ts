import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hexDigits } from '../../../../host/base/hex.ts'
import {
  type ExportOptions,
  exportSnapshot,
} from '../../../../host/chain/snapshot/export-snapshot.ts'
import { verifySnapshot } from '../../../../host/chain/snapshot/verify-snapshot.ts'
import { CommitSnapshot } from '../../../../host/storage/commit/commit-snapshot.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { genesis, RandomChain } from './random-chain.ts'
import { importInto, makeDir, removeDir, SEPARATE, SnapshotHome, UNSPLIT } from './snapshot-home.ts'

const root = makeDir()
afterAll(() => removeDir(root))

let module: WebAssembly.Module
let hasher: CommitHasher
beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
  hasher = new CommitHasher(module)
})

function optionsOf({ dir, storage, decided }: SnapshotHome): ExportOptions {
  return {
    genesis,
    chain: storage.chain,
    decided,
    stateCommit: join(dir, 'committer.db'),
    folder: join(dir, 'snapshots'),
    chunkBytes: 4096,
  }
}

test('blocks that are committed during an export are not part of it', async () => {
  const chain = new RandomChain(3, hasher)
  const home = await SnapshotHome.open(`${root}/home`, SEPARATE, module)
  await home.grow(chain, 34)
  const options = optionsOf(home)
  // The state commit is written to disk every 16 heights.
  const before = CommitSnapshot.open(options.stateCommit)
  const { version, appHash } = before
  expect(version).toBeGreaterThan(34 - 16)
  expect(version).toBeLessThan(34)
  const { dir, metadata } = await exportSnapshot({
    ...options,
    pause: () => home.grow(chain, home.committer.version + 5),
  })
  const now = CommitSnapshot.open(options.stateCommit)
  expect(now.version).toBeGreaterThan(version + 32)
  expect(before.version).toBe(version)
  await now.close()
  await before.close()
  expect(metadata.height).toBe(version)
  expect(metadata.appHash).toBe(hexDigits(appHash))
  expect(await verifySnapshot({ dir, hasher, genesis })).toEqual(metadata)
  await importInto(dir, `${root}/copy`, UNSPLIT, module)
  const copy = await SnapshotHome.open(`${root}/copy`, UNSPLIT, module)
  expect(copy.committer.version).toBe(version)
  await copy.close()
  await home.close()
})

test('the files of an aborted export are removed, and an existing snapshot is kept', async () => {
  const home = await SnapshotHome.open(`${root}/again`, SEPARATE, module)
  await home.grow(new RandomChain(4, hasher), 20)
  const options = optionsOf(home)
  const pause = async (): Promise<void> => {
    throw new Error('enough')
  }
  await expect(exportSnapshot({ ...options, pause })).rejects.toThrow('enough')
  const first = await exportSnapshot(options)
  expect(await exportSnapshot({ ...options, pause })).toEqual(first)
  const { height } = first.metadata
  await expect(exportSnapshot({ ...options, height: height - 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: `the state of height ${height - 1} cannot be exported: the state commit is at height ${height}`,
  })
  await home.close()
})
