import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../host/base/config/load.ts'
import { LockstepError } from '../../../host/base/error.ts'
import { hexDigits } from '../../../host/base/hex.ts'
import { createLogger } from '../../../host/base/log/pino-logger.ts'
import { UNSIGNED, writeSignState } from '../../../host/chain/consensus/validator/sign-state.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import { refuseUnfinishedRollback } from '../../../host/node/home/unfinished-rollback.ts'
import type { HomeContext } from '../../../host/node/offline/home-snapshots.ts'
import { rollBackHome } from '../../../host/node/offline/rollback-home.ts'
import type {
  HomeHeights,
  RollbackListener,
  RollbackRequest,
  RolledBack,
} from '../../../host/node/offline/rollback-request.ts'
import { CommitHasher } from '../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../support/engine/commit-module.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { bySet } from '../../support/run/by-set.ts'
import { RandomChain } from '../chain/snapshot/random-chain.ts'
import {
  importInto,
  type Layout,
  makeDir,
  makeSnapshot,
  ROCKSDB,
  removeDir,
  SEPARATE,
  SnapshotHome,
  SPLIT,
  UNSPLIT,
} from '../chain/snapshot/snapshot-home.ts'
import { stateOf } from '../chain/snapshot/state-of.ts'

const LAYOUTS: Readonly<Record<string, Layout>> = bySet(
  { SEPARATE },
  { UNSPLIT, SPLIT, SEPARATE, ROCKSDB },
)
/** Number of chains per layout, and the maximum height of a chain. */
const RUNS = 1
const MOST = bySet(15, 40)
const seed = runSeed()

const root = makeDir()
afterAll(() => removeDir(root))

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

const SOFT: Omit<RollbackRequest, 'blocks'> = { hard: false, signAgain: false }
const HARD: Omit<RollbackRequest, 'blocks'> = { hard: true, signAgain: false }

let count = 0

function newHome(layout: Layout, settings: Readonly<Record<string, string>> = {}): HomeContext {
  const home = homeAt(join(root, `home-${count++}`))
  mkdirSync(home.data.directory, { recursive: true })
  const { config } = loadConfig({
    directory: home.config.directory,
    environment: {},
    flags: new Map(
      Object.entries({
        'state-store.ss-backend': layout.backend,
        'state-store.evm-ss-split': String(layout.evmSplit),
        'state-store.evm-ss-separate-dbs': String(layout.evmSeparateDbs),
        ...settings,
      }),
    ),
  })
  return {
    home,
    config,
    logger: createLogger({ level: 'error', format: 'plain', write: () => {} }),
  }
}

const open = ({ home }: HomeContext, layout: Layout): Promise<SnapshotHome> =>
  SnapshotHome.open(home.data.directory, layout, module)

interface Run {
  readonly done: RolledBack
  readonly heights: HomeHeights
  readonly target: number
  readonly isResumed: boolean
}

/** Rolls back. `stopAt` stops the work at that progress report. */
async function rollBack(
  context: HomeContext,
  request: RollbackRequest,
  stopAt = Number.POSITIVE_INFINITY,
): Promise<Run> {
  let begun: Omit<Run, 'done'> | undefined
  let signs = 0
  const listener: RollbackListener = {
    onHeights: (heights, target, isResumed) => {
      begun = { heights, target, isResumed }
    },
    onStage: () => {},
    onProgress: () => {
      if (++signs >= stopAt) throw new LockstepError('INTERRUPTED', `stopped at sign ${signs}`)
      return undefined
    },
  }
  const done = await rollBackHome(context, request, listener)
  if (begun === undefined) throw new Error('nothing was told')
  return { ...begun, done }
}

/** Returns every answer of a home about the heights from `first` to its latest. */
function answersOf(home: SnapshotHome, first: number): unknown[] {
  const { chain, state } = home.storage
  expect(state.latest).toBe(chain.latest)
  return Array.from({ length: chain.latest - first + 1 }, (_, i) => {
    const height = first + i
    const block = chain.block(height)
    const receipts = chain.receipts(height)
    return {
      block,
      receipts,
      places: receipts?.map(({ transactionHash }) => chain.locate(transactionHash)),
      byHash: block && chain.heightOf(block.header.hash),
      state: stateOf(home, height),
      decided: home.decided.decided(height)?.blockId,
      heightOf:
        home.decided.decided(height) &&
        home.decided.heightOf(home.decided.decided(height)?.blockId.hash ?? new Uint8Array()),
    }
  })
}

/** Draws a height between two others, both included. */
type Draw = (from: number, to: number) => number

const drawFrom = (number: number): Draw => {
  const random = makeRandom(number)
  return (from, to) => from + Math.floor(random() * (to - from + 1))
}

/** Grows a chain in several runs of the node, so that the stores are written in several parts. */
async function growInParts(
  context: HomeContext,
  layout: Layout,
  chain: RandomChain,
  height: number,
  draw: Draw,
): Promise<void> {
  for (let reached = -1; reached < height; ) {
    const home = await open(context, layout)
    reached = Math.min(height, Math.max(home.committer.version, 0) + draw(1, 30))
    await home.grow(chain, reached)
    await home.close()
  }
}

describe.each(Object.entries(LAYOUTS))('the rollback of a home with layout %s', (_, layout) => {
  for (let run = 0; run < RUNS; run++) {
    test(`gives the answers of a home that never went further (LOCKSTEP_SEED=${seed + run})`, async () => {
      const draw = drawFrom(seed + run)
      const hasher = new CommitHasher(module)
      const chain = new RandomChain(seed + run, hasher)
      const height = draw(2, MOST)
      const n = draw(1, height)
      const target = height - n
      const context = newHome(layout)
      const model = newHome(layout)
      await growInParts(context, layout, chain, height, draw)

      const hard = draw(0, 1) === 1
      const { done, heights } = await rollBack(context, { blocks: n, ...(hard ? HARD : SOFT) })
      expect(heights).toMatchObject({ app: height, consensus: height })
      expect(done).toMatchObject({ height: target, kept: hard ? target : height })
      expect(done.appHash).toEqual(done.stateHash)

      const same = new RandomChain(seed + run, hasher)
      const other = await open(model, layout)
      await other.grow(same, target)
      const back = await open(context, layout)
      expect(back.committer.version).toBe(target)
      expect(hexDigits(done.appHash)).toBe(hexDigits(other.committer.appHash))
      expect(answersOf(back, 0)).toEqual(answersOf(other, 0))
      if (hard) expect(back.decided.height).toBe(target)

      // After a hard rollback continue with a different chain, otherwise with the same one.
      const next = hard ? new RandomChain(seed + run + 1000, hasher) : same.copy()
      const nextOfModel = hard ? new RandomChain(seed + run + 1000, hasher) : same.copy()
      for (const each of hard ? [next, nextOfModel] : []) each.follow(same)
      const end = target + draw(1, 40)
      await back.grow(next, end)
      await other.grow(nextOfModel, end)
      expect(hexDigits(back.committer.appHash)).toBe(hexDigits(other.committer.appHash))
      await back.close()
      await other.close()
      const [again, model2] = [await open(context, layout), await open(model, layout)]
      expect(answersOf(again, 0)).toEqual(answersOf(model2, 0))
      expect(hexDigits(again.committer.appHash)).toBe(hexDigits(model2.committer.appHash))
      await again.close()
      await model2.close()
    }, 120_000)
  }

  test(`is completed by the next rollback after an interruption anywhere (LOCKSTEP_SEED=${seed})`, async () => {
    const draw = drawFrom(seed)
    const chain = new RandomChain(seed, new CommitHasher(module))
    const context = newHome(layout)
    await growInParts(context, layout, chain, 40, draw)
    const target = draw(3, 30)
    let stops = 0
    for (let stopAt = 1; ; stopAt++) {
      try {
        const { done, isResumed } = await rollBack(
          context,
          { blocks: 40 - target, ...SOFT },
          stopAt,
        )
        expect(done.height).toBe(target)
        expect(isResumed).toBe(stops > 0)
        break
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'INTERRUPTED' })
        stops++
        expect(() => refuseUnfinishedRollback(context.home.data.directory)).toThrow(
          `the rollback of ${context.home.data.directory} to height ${target} is not finished`,
        )
      }
    }
    expect(stops).toBeGreaterThan(0)
    refuseUnfinishedRollback(context.home.data.directory)
    const home = await open(context, layout)
    expect(home.committer.version).toBe(target)
    expect(home.storage.chain.latest).toBe(target)
    await home.close()
  })
})

test('a home from a snapshot can be rolled back to its height and no further', async () => {
  const hasher = new CommitHasher(module)
  const chain = new RandomChain(seed, hasher)
  const { dir } = await makeSnapshot(join(root, 'exporter'), chain, 30, module)
  for (const layout of Object.values(LAYOUTS)) {
    const context = newHome(layout)
    await importInto(dir, context.home.data.directory, layout, module)
    const home = await open(context, layout)
    const state = stateOf(home, 30)
    await home.grow(chain.copy(), 55)
    await home.close()
    await expect(rollBack(context, { blocks: 26, ...SOFT })).rejects.toMatchObject({
      code: 'STATE_PRUNED',
      message:
        'cannot rollback to height 29: data needed for it has been pruned; the earliest height that works is 30',
      hint: 'run `lockstep rollback -n 25`, or import a snapshot of an earlier height into a new home',
    })
    const { done } = await rollBack(context, { blocks: 25, ...SOFT })
    expect(done.height).toBe(30)
    const back = await open(context, layout)
    expect(stateOf(back, 30)).toEqual(state)
    await back.grow(chain.copy(), 40)
    await back.close()
  }
})

test('after the split was on and off, a rollback removes the later heights of both layouts', async () => {
  const hasher = new CommitHasher(module)
  const chain = new RandomChain(seed, hasher)
  const context = newHome(SEPARATE)
  await growInParts(context, SEPARATE, chain, 25, drawFrom(seed))
  // With the split off, the EVM member stays on disk unchanged.
  const off = newHome(UNSPLIT)
  const unsplit = { ...off, home: context.home }
  const { done } = await rollBack(unsplit, { blocks: 10, ...HARD })
  expect(done.height).toBe(15)
  const same = new RandomChain(seed, hasher)
  const model = await open(newHome(SEPARATE), SEPARATE)
  await model.grow(same, 15)
  const next = new RandomChain(seed + 7, hasher)
  const nextOfModel = new RandomChain(seed + 7, hasher)
  for (const each of [next, nextOfModel]) each.follow(same)
  const back = await open(context, SEPARATE)
  await back.grow(next, 30)
  await model.grow(nextOfModel, 30)
  expect(answersOf(back, 0)).toEqual(answersOf(model, 0))
  await back.close()
  await model.close()
})

describe('a rollback of stores at different heights', () => {
  test('lowers the consensus store to the height of an application that is behind the blocks', async () => {
    const chain = new RandomChain(seed, new CommitHasher(module))
    const context = newHome(SEPARATE)
    const home = await open(context, SEPARATE)
    await home.grow(chain, 12)
    const { decided } = chain.copy().next(home.committer.appHash)
    if (decided === undefined) throw new Error('no block')
    home.decided.propose(13, decided.encoded)
    home.decided.decide(decided.commit)
    await home.close()
    const { done, heights } = await rollBack(context, { blocks: 5, ...SOFT })
    expect(heights).toMatchObject({ app: 12, consensus: 13 })
    expect(done).toMatchObject({ height: 12, kept: 13 })
    expect((await rollBack(context, { blocks: 5, ...HARD })).done).toMatchObject({
      height: 12,
      kept: 12,
    })
  })

  test('lowers an application that is ahead of the blocks to their height', async () => {
    const chain = new RandomChain(seed, new CommitHasher(module))
    const context = newHome(SEPARATE)
    const home = await open(context, SEPARATE)
    await home.grow(chain, 12)
    home.decided.cut(9)
    await home.close()
    const { done, heights } = await rollBack(context, { blocks: 1, ...SOFT })
    expect(heights).toMatchObject({ app: 12, consensus: 9 })
    expect(done).toMatchObject({ height: 9, kept: 9 })
  })
})

describe('a rollback is refused', () => {
  test('at height 0, which has no block', async () => {
    const context = newHome(UNSPLIT)
    await (await open(context, UNSPLIT)).close()
    await expect(rollBack(context, { blocks: 1, ...SOFT })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'the chain is at height 0: there is no block to roll back',
    })
    refuseUnfinishedRollback(context.home.data.directory)
  })

  test('below 0, and changes nothing', async () => {
    const context = newHome(UNSPLIT)
    await growInParts(
      context,
      UNSPLIT,
      new RandomChain(seed, new CommitHasher(module)),
      5,
      drawFrom(seed),
    )
    await expect(rollBack(context, { blocks: 6, ...SOFT })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'cannot rollback: current height is 5, cannot rollback below 0',
      hint: 'pass -n with a number from 1 to 5',
    })
    refuseUnfinishedRollback(context.home.data.directory)
    expect((await rollBack(context, { blocks: 5, ...SOFT })).done.height).toBe(0)
  })

  test('of blocks that the validator has signed, unless it may sign again', async () => {
    const context = newHome(UNSPLIT, { mode: 'validator' })
    const { validatorState } = context.home.data
    await growInParts(
      context,
      UNSPLIT,
      new RandomChain(seed, new CommitHasher(module)),
      9,
      drawFrom(seed),
    )
    await writeSignState(validatorState, { ...UNSIGNED, height: 9, step: 3 })
    await expect(rollBack(context, { blocks: 2, ...HARD })).rejects.toMatchObject({
      code: 'DOUBLE_SIGN',
      message:
        'Duplicate signature: rollback --hard would remove blocks up to height 9, which this validator has signed: ' +
        'it could sign no other block of heights 8 to 9',
    })
    const before = readFileSync(validatorState)
    expect((await rollBack(context, { blocks: 2, ...SOFT })).done).toMatchObject({
      height: 7,
      kept: 9,
    })
    // The signing state is kept, and the remaining blocks need no second signature.
    expect(readFileSync(validatorState)).toEqual(before)
    const { done } = await rollBack(context, { blocks: 1, hard: true, signAgain: true })
    expect(done).toMatchObject({ height: 7, kept: 7 })
    expect(JSON.parse(readFileSync(validatorState, 'utf8'))).toMatchObject({ height: '7', step: 3 })
    expect(readFileSync(`${validatorState}.height-9`)).toEqual(before)
  })
})
