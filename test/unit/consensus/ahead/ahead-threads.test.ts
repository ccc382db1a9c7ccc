import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AheadThreads } from '../../../../host/consensus/ahead/ahead-threads.ts'
import { loadEngine } from '../../../../host/engine/engine.ts'
import type { EngineModules } from '../../../../host/engine/engine-modules.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import type { ExecutedBlock } from '../../../../host/store/codec/block-record.ts'
import { BusyBlocks } from '../../../support/ahead/busy-blocks.ts'
import { MemoryChain } from '../../../support/chain/memory-chain.ts'
import { runSeed } from '../../../support/random.ts'

let modules: EngineModules
const open: AheadThreads[] = []
const errors: string[] = []

beforeAll(async () => {
  modules = await compileEngine()
}, 120_000)

afterEach(async () => {
  await Promise.all(open.splice(0).map((threads) => threads.close()))
  errors.length = 0
})

/** A chain whose blocks run on the chain's thread alone, and one with threads, which are counted on its phases. */
async function openChains(count: number, script?: URL) {
  const chain = async (threads?: AheadThreads) => {
    const engine = await loadEngine(modules.engine, modules)
    const opened = await MemoryChain.open(engine, threads && { aheadThreads: threads })
    await opened.initialise()
    return opened
  }
  const phases = { adopted: 0, repeated: 0 }
  const threads = new AheadThreads({
    count,
    modules,
    phases,
    onError: (error) => errors.push(error.message),
    ...(script !== undefined && { script }),
  })
  open.push(threads)
  return { plain: await chain(), ahead: await chain(threads), phases }
}

function contentOf({ block, receipts }: ExecutedBlock) {
  return { block, receipts }
}

async function expectSame(plain: MemoryChain, ahead: MemoryChain): Promise<void> {
  const [one, other] = await Promise.all(
    [plain, ahead].map(({ application }) => application.info().lastBlockAppHash),
  )
  expect(other).toEqual(one)
}

/** Blocks of both chains until `isDone`, which are compared. */
async function compareBlocks(
  { plain, ahead }: Awaited<ReturnType<typeof openChains>>,
  blocks: BusyBlocks,
  hot: number,
  isDone: (height: number) => boolean,
): Promise<void> {
  const deployment = await blocks.deployment()
  await plain.decide([deployment])
  await ahead.decide([deployment])
  for (let height = 2; !isDone(height); height++) {
    expect(height).toBeLessThan(200)
    const raws = await blocks.block(10, hot)
    // Every other block is made of the pool, and every other is another node's
    const make = (chain: MemoryChain) =>
      height % 2 === 0 ? chain.produce(...raws) : chain.decide(raws)
    const expected = await make(plain)
    expect(expected.receipts.map(({ status }) => status)).toEqual(raws.map(() => 1))
    expect(contentOf(await make(ahead))).toEqual(contentOf(expected))
    await expectSame(plain, ahead)
    // Blocks in memory leave no turn of the event loop in which the death of a thread is heard of
    await setImmediate()
  }
}

describe(`threads that run transactions ahead (seed ${runSeed()})`, () => {
  test('take a part of the work, and blocks are the same', async () => {
    const chains = await openChains(2)
    const { phases } = chains
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, () => phases.adopted >= 20)
    expect(errors).toEqual([])
  }, 60_000)

  test('take none for a while where most transactions conflict', async () => {
    const chains = await openChains(2)
    const { phases } = chains
    const counts: number[] = []
    await compareBlocks(chains, new BusyBlocks(runSeed()), 1, (height) => {
      counts.push(phases.adopted + phases.repeated)
      return phases.repeated > 0 && height > 24
    })
    const idle = counts.filter((count, i) => i > 0 && count === counts[i - 1]).length
    expect(idle).toBeGreaterThanOrEqual(16)
  }, 60_000)

  test('that die are replaced, and no block is another', async () => {
    const script = new URL('../../../support/ahead/dying-ahead-worker.ts', import.meta.url)
    const chains = await openChains(2, script)
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, () => errors.length >= 3)
    expect(new Set(errors)).toEqual(
      new Set(['a thread that runs transactions ahead died: it ended with code 7']),
    )
    expect(chains.phases.adopted).toBeGreaterThan(0)
  }, 60_000)

  test('that are out of step are replaced, and no block is another', async () => {
    const script = new URL('../../../support/ahead/lying-ahead-worker.ts', import.meta.url)
    const chains = await openChains(2, script)
    // Eight of them, after which nobody is put in their place
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, () => errors.length >= 8)
    expect(errors.every((text) => text.includes('no footprint of transaction'))).toBe(true)
    expect(chains.phases).toEqual({ adopted: 0, repeated: 0 })
  }, 60_000)
})
