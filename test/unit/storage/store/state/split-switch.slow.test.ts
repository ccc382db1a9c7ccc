import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadEvmState } from '../../../../../host/chain/snapshot/load-state.ts'
import { CommitSnapshot } from '../../../../../host/storage/commit/commit-snapshot.ts'
import { openCommitter } from '../../../../../host/storage/commit/lmdb-committer.ts'
import type { NodeStorage } from '../../../../../host/storage/store/node-storage.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import { runSeed } from '../../../../support/random.ts'
import { blockRecord } from '../chain/block-records.ts'
import { openFilesBelow } from '../open-files.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'
import { changesetAt, codeHashes, splitBlock } from './split-blocks.ts'
import { SplitModel } from './split-model.ts'
import { evmAnswers, moduleAnswers, readsOf } from './state-answers.ts'

const seed = runSeed()
const BLOCKS = 48
const ON = { evmSplit: true } as const
const OFF = { evmSplit: false } as const

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

const model = new SplitModel()
for (let height = 0; height < BLOCKS; height++) model.apply(changesetAt(seed, height))

async function appendTo(storage: NodeStorage, latest: number): Promise<void> {
  for (let height = storage.chain.latest + 1; height <= latest; height++) {
    await storage.append(splitBlock(seed, height))
  }
}

/** Opens the storage, appends blocks up to `latest` and closes it. */
async function grow(dir: string, options: Parameters<typeof openAt>[1], latest: number) {
  const storage = await openAt(dir, options)
  await appendTo(storage, latest)
  await storage.close()
  expect(openFilesBelow(dir)).toEqual([])
}

function expectEvm({ state }: NodeStorage, from: number, to: number): void {
  for (let height = from; height <= to; height++) {
    const hashes = codeHashes(seed, height)
    expect(evmAnswers(readsOf(state), height, hashes), `height ${height}`).toEqual(
      evmAnswers(model, height, hashes),
    )
  }
}

/** Checks that EVM reads of the heights report where the data is, and that module reads return the right values. */
function expectMissing(
  { state }: NodeStorage,
  missingFrom: number,
  from: number,
  to: number,
): void {
  for (let height = from; height <= to; height++) {
    const refused = expect.objectContaining({
      code: 'NOT_FOUND',
      message:
        `EVM state of height ${height} is missing: from height ${missingFrom} on it was written ` +
        'while evm-ss-split was true',
      hint: 'set evm-ss-split = true again, or state sync with evm-ss-split = false',
    })
    expect(() => state.view(height)).toThrow(refused)
    expect(() => state.legacy(Uint8Array.of(1), height)).toThrow(refused)
  }
  for (let height = 0; height <= to; height++) {
    expect(moduleAnswers(readsOf(state), height)).toEqual(moduleAnswers(model, height))
  }
}

/** Writes the latest height's EVM data into the general member, from a state commit of these blocks. */
async function restore(
  storage: NodeStorage,
  dir: string,
  after: () => void = () => {},
): Promise<void> {
  const committer = await openCommitter({ dir, module })
  for (const changeset of storage.changesets(committer.version + 1)) {
    await committer.stage(changeset)
    await committer.commit()
  }
  await committer.close()
  const commit = CommitSnapshot.open(dir)
  try {
    await storage.state.restoreEvm(async (general) => {
      await loadEvmState(commit, [general])
      after()
    })
  } finally {
    await commit.close()
  }
}

/**
 * Checks that each height either returns the right answers or reports missing data. @returns the heights with answers
 */
function readableHeights(storage: NodeStorage): number[] {
  const { state } = storage
  const heights = Array.from({ length: state.latest + 1 }, (_, height) => height)
  return heights.filter((height) => {
    try {
      state.view(height)
    } catch (thrown) {
      expect(thrown).toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining(`EVM state of height ${height} is missing: `),
      })
      return false
    }
    expectEvm(storage, height, height)
    return true
  })
}

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)

describe.each([true, false])(`a split (separate %s) (LOCKSTEP_SEED=${seed})`, (separate) => {
  const on = { ...ON, evmSeparateDbs: separate }

  test('is turned off, and no height that it wrote or that came later reads as zero', async () => {
    const dir = temporaryDir()
    await grow(dir, on, 20)
    const storage = await openAt(dir, OFF)
    expect(storage.startup).toMatchObject({ evm: undefined, evmGap: { from: 0 } })
    expectMissing(storage, 0, 0, 20)
    await appendTo(storage, 30)
    expectMissing(storage, 0, 0, 30)
    await storage.settle()
    expectMissing(storage, 0, 0, 30)
    expect(() => storage.state.view(31)).toThrow('requested height 31 is not yet available')
    await storage.close()
    const again = await openAt(dir, OFF)
    expect(again.startup.evmGap).toEqual({ from: 0, end: undefined })
    expectMissing(again, 0, 0, 30)
    await again.close()
  })

  test('is turned off and on again, and the blocks in between are filled in from the write-ahead log', async () => {
    const dir = temporaryDir()
    await grow(dir, on, 20)
    await grow(dir, OFF, 30)
    const storage = await openAt(dir, on)
    expect(storage.startup.replayed).toEqual({ from: 21, to: 30 })
    expectEvm(storage, 0, 30)
    await appendTo(storage, BLOCKS - 1)
    await storage.close()
    const again = await openAt(dir, on)
    expectEvm(again, 0, BLOCKS - 1)
    await again.close()
    expect(openFilesBelow(dir)).toEqual([])
  })

  test('is turned on at genesis, and earlier heights stay readable after it is turned off', async () => {
    const dir = temporaryDir()
    await grow(dir, OFF, 0)
    await grow(dir, on, 12)
    for (const to of [12, 20, 20]) {
      const storage = await openAt(dir, OFF)
      expect(storage.startup.evmGap).toEqual({ from: 1, end: undefined })
      await appendTo(storage, to)
      expectEvm(storage, 0, 0)
      expectMissing(storage, 1, 1, to)
      await storage.close()
    }
    const storage = await openAt(dir, on)
    expectEvm(storage, 0, 20)
    await storage.close()
  })

  test('is turned off twice, and heights of neither period read as zero', async () => {
    const dir = temporaryDir()
    const commit = join(dir, 'committer.db')
    await grow(dir, on, 10)
    const once = await openAt(dir, OFF)
    await restore(once, commit)
    await appendTo(once, 20)
    expect(readableHeights(once)).toEqual(from(10, 20))
    await once.settle()
    expect(readableHeights(once)).toEqual(from(10, 20))
    await once.close()
    await grow(dir, on, 30)
    const twice = await openAt(dir, OFF)
    expect(readableHeights(twice)).toEqual([])
    await restore(twice, commit)
    await appendTo(twice, 40)
    expect(readableHeights(twice)).toEqual(from(30, 40))
    await twice.settle()
    await twice.close()
    const last = await openAt(dir, OFF)
    expect(readableHeights(last)).toEqual(from(30, 40))
    await last.close()
    const again = await openAt(dir, on)
    expect(readableHeights(again)).toEqual(from(0, 40))
    await again.close()
  })

  test('is killed while it copies its data back, and the copy is repeated before anything is read', async () => {
    const dir = temporaryDir()
    const commit = join(dir, 'committer.db')
    await grow(dir, on, 10)
    const cut = await openAt(dir, OFF)
    await expect(
      restore(cut, commit, () => {
        throw new Error('cut short')
      }),
    ).rejects.toThrow('cut short')
    expect(readableHeights(cut)).toEqual([])
    await cut.close()
    const storage = await openAt(dir, OFF)
    expect(readableHeights(storage)).toEqual([])
    await restore(storage, commit)
    await appendTo(storage, 20)
    await storage.settle()
    expect(readableHeights(storage)).toEqual(from(10, 20))
    await storage.close()
    expect(openFilesBelow(dir)).toEqual([])
  })

  test('is turned on again while pruning is on, and both members have one prune height', async () => {
    const dir = temporaryDir()
    const pruned = { keepRecent: 4, flushInterval: 3 }
    await grow(dir, { ...on, ...pruned }, 20)
    await grow(dir, { ...OFF, ...pruned }, 44)
    const off = await openAt(dir, { ...OFF, ...pruned })
    const pruneHeight = off.state.earliest
    expect(pruneHeight).toBeGreaterThan(20)
    expect(() => off.state.view(pruneHeight - 1)).toThrow(
      `requested height ${pruneHeight - 1} has been pruned`,
    )
    await off.close()
    const storage = await openAt(dir, { ...on, ...pruned })
    expect(storage.state.earliest).toBe(pruneHeight)
    expectEvm(storage, pruneHeight, 44)
    await storage.settle()
    expectEvm(storage, storage.state.earliest, 44)
    await storage.close()
  })
})

test('the split is refused if it is turned on again after more blocks than the write-ahead log holds, and may stay off', async () => {
  const dir = temporaryDir()
  await grow(dir, ON, 4)
  const off = await openAt(dir, { ...OFF, flushInterval: 20 })
  // 70 MB exceed one file of the write-ahead log, which is deleted once it is a thousand heights old
  for (let height = 5; height <= 8; height++) {
    const codes = [new Uint8Array(17.5e6).fill(height)]
    await off.append(blockRecord(height, { codes }, 0))
  }
  for (let height = 9; height <= 1040; height++) await off.append(blockRecord(height, {}, 0))
  await off.close()
  await expect(openAt(dir, ON)).rejects.toMatchObject({
    code: 'STORE_SPLIT_REFUSED',
    message: expect.stringMatching(
      /^EVM SS ends at height 4 but Cosmos SS at 1040, and the write-ahead log holds heights (9|[1-9]\d) to 1040; state sync before enabling evm-ss-split, or set evm-ss-split=false$/,
    ),
  })
  expect(openFilesBelow(dir)).toEqual([])
  const storage = await openAt(dir, OFF)
  expect(storage.startup.evmGap).toEqual({ from: 0, end: undefined })
  expect(storage.chain.latest).toBe(1040)
  await storage.close()
})

test('the EVM state cannot be iterated: the type has no method for it', async () => {
  const storage = await openAt(temporaryDir(), ON)
  await appendTo(storage, 2)
  const { state } = storage
  const view = state.view(2)
  // @ts-expect-error accounts, slots and code are read one at a time
  expect(view.range).toBeUndefined()
  // @ts-expect-error so are the other rows
  expect(state.legacy.range).toBeUndefined()
  // @ts-expect-error and nothing goes over the members at once
  expect(state.range).toBeUndefined()
  expect([...state.module('bank').range({ height: 2 })]).toEqual(model.range('bank', { height: 2 }))
  await storage.close()
})
