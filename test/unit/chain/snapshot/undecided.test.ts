import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importSnapshot } from '../../../../host/chain/snapshot/import-snapshot.ts'
import type { ListedSnapshot } from '../../../../host/chain/snapshot/snapshot-dir.ts'
import { verifySnapshot } from '../../../../host/chain/snapshot/verify-snapshot.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { genesis, RandomChain } from './random-chain.ts'
import {
  importInto,
  importOptions,
  makeDir,
  removeDir,
  SEPARATE,
  SnapshotHome,
  UNSPLIT,
} from './snapshot-home.ts'
import { stateOf } from './state-of.ts'

const HEIGHT = 260

const root = makeDir()
afterAll(() => removeDir(root))

let module: WebAssembly.Module
let hasher: CommitHasher
let home: SnapshotHome
let undecided: ListedSnapshot
beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
  hasher = new CommitHasher(module)
  home = await SnapshotHome.open(`${root}/home`, UNSPLIT, module)
  await home.grow(new RandomChain(11, hasher), HEIGHT)
  await home.committer.close()
  undecided = await home.exportUndecided(16 * 1024)
})
afterAll(async () => {
  await home.storage.close()
  await home.decided.close()
})

test('a snapshot without a decision becomes a home whose blocks CometBFT decides', async () => {
  const { dir, metadata } = undecided
  expect(await verifySnapshot({ dir, hasher, genesis, underCometBft: true })).toEqual(metadata)
  const to = `${root}/comet`
  await importSnapshot({ ...importOptions(dir, to, SEPARATE, module), underCometBft: true })
  expect(existsSync(join(to, 'blockstore.db'))).toBe(false)
  const copy = await SnapshotHome.open(to, SEPARATE, module)
  expect(copy.committer.version).toBe(HEIGHT)
  expect(copy.committer.appHash).toEqual(home.committer.appHash)
  expect(stateOf(copy, HEIGHT)).toEqual(stateOf(home, HEIGHT))
  expect([copy.storage.chain.earliest, copy.storage.chain.latest]).toEqual([HEIGHT - 255, HEIGHT])
  for (let number = HEIGHT - 255; number <= HEIGHT; number++) {
    const hashes = [home, copy].map(({ storage }) => storage.state.view(HEIGHT).blockHash(number))
    expect(hashes[1]).toEqual(home.storage.chain.header(number)?.hash)
    expect(hashes[1]).toEqual(hashes[0])
  }
  await copy.close()
})

test('the embedded engine refuses a snapshot without a decision before any row is imported', async () => {
  const { dir } = undecided
  const refused = {
    code: 'SNAPSHOT_INVALID',
    message: expect.stringMatching(
      `the snapshot has no decision on block ${HEIGHT}: its node ran under CometBFT$`,
    ),
  }
  await expect(verifySnapshot({ dir, hasher, genesis })).rejects.toMatchObject(refused)
  const to = `${root}/embedded`
  await expect(importInto(dir, to, SEPARATE, module)).rejects.toMatchObject(refused)
  expect(existsSync(join(to, 'evm_ss'))).toBe(false)
})

test('a snapshot with a decision becomes a home whose blocks CometBFT decides', async () => {
  const twin = await SnapshotHome.open(`${root}/twin`, UNSPLIT, module)
  await twin.grow(new RandomChain(12, hasher), 30)
  await twin.committer.close()
  const { dir } = await twin.export(16 * 1024)
  const to = `${root}/continued`
  await importSnapshot({ ...importOptions(dir, to, UNSPLIT, module), underCometBft: true })
  expect(existsSync(join(to, 'blockstore.db'))).toBe(false)
  const copy = await SnapshotHome.open(to, UNSPLIT, module)
  expect(copy.committer.appHash).toEqual(twin.committer.appHash)
  expect([copy.storage.chain.earliest, copy.storage.chain.latest]).toEqual([1, 30])
  await copy.close()
  await twin.storage.close()
  await twin.decided.close()
})
