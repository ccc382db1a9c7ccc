import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SpeculationPool } from '../../../../../host/chain/consensus/ahead/speculation-pool.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import { loadEngine } from '../../../../../host/evm/engine/engine.ts'
import type { EngineModules } from '../../../../../host/evm/engine/engine-modules.ts'
import { blockEnv } from '../../../../../host/evm/execute/lockstep/block-env.ts'
import { compileEngine } from '../../../../../host/node/wasm.ts'
import type { ExecutedBlock } from '../../../../../host/storage/store/codec/block-record.ts'
import type { StoragePublisher } from '../../../../../host/storage/store/reader/storage-publisher.ts'
import { BusyBlocks } from '../../../../support/ahead/busy-blocks.ts'
import { MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { MemoryCommitter } from '../../../../support/chain/memory-committer.ts'
import { plainReceipt } from '../../../../support/chain/plain-receipt.ts'
import { encodeFrom, senderInR } from '../../../../support/engine/unsigned-sender.ts'
import { runSeed } from '../../../../support/random.ts'
import { openAt, temporaryDir } from '../../../storage/store/temporary-storage.ts'

let modules: EngineModules
const errors: string[] = []

beforeAll(async () => {
  modules = await compileEngine()
}, 120_000)

afterEach(() => {
  errors.length = 0
})

/**
 * Opens a chain that executes blocks on the main thread only, and one with threads. The second writes its state to
 * files with every other block and counts in `phases`.
 */
async function openChains(count: number, script?: URL) {
  const storage = await openAt(temporaryDir(), { flushInterval: 2 })
  onTestFinished(() => storage.close())
  const chain = async (options: Parameters<typeof MemoryChain.open>[1]) => {
    const opened = await MemoryChain.open(await loadEngine(modules.engine, modules), options)
    await opened.initialise()
    return opened
  }
  const phases = { adopted: 0, repeated: 0 }
  const threads = new SpeculationPool({
    count,
    modules,
    states: storage.publisher as StoragePublisher,
    phases,
    onError: (error) => errors.push(error.message),
    ...(script !== undefined && { script }),
  })
  onTestFinished(() => threads.close())
  const stores = { storage, committer: new MemoryCommitter() }
  return {
    plain: await chain({}),
    ahead: await chain({ stores, aheadThreads: threads }),
    phases,
    threads,
  }
}

function contentOf({ block, receipts }: ExecutedBlock) {
  return { block, receipts: receipts.map(plainReceipt) }
}

async function expectSame(plain: MemoryChain, ahead: MemoryChain): Promise<void> {
  const [one, other] = await Promise.all(
    [plain, ahead].map(({ application }) => application.info().lastBlockAppHash),
  )
  expect(other).toEqual(one)
}

/** Makes blocks on both chains until `isDone` and compares them. */
async function compareBlocks(
  { plain, ahead }: Awaited<ReturnType<typeof openChains>>,
  blocks: BusyBlocks,
  hot: number,
  isDone: (height: number) => boolean,
  asking = 0,
): Promise<void> {
  const deployment = await blocks.deployment()
  await plain.decide([deployment])
  await ahead.decide([deployment])
  for (let height = 2; !isDone(height); height++) {
    expect(height).toBeLessThan(200)
    const raws = await blocks.block(10, hot, 1000, asking)
    // Blocks come in turn from the pool and from another node
    const make = (chain: MemoryChain) =>
      height % 2 === 0 ? chain.produce(...raws) : chain.decide(raws)
    const expected = await make(plain)
    expect(expected.receipts.map(({ status }) => status)).toEqual(raws.map(() => 1))
    expect(contentOf(await make(ahead))).toEqual(contentOf(expected))
    await expectSame(plain, ahead)
    // In-memory blocks never return to the event loop, which reports the death of a thread
    await setImmediate()
  }
}

describe(`threads for speculative execution (seed ${runSeed()})`, () => {
  test('execute part of the transactions, and the blocks are the same', async () => {
    const chains = await openChains(2)
    const { phases } = chains
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, () => phases.adopted >= 20)
    expect(errors).toEqual([])
  }, 60_000)

  test('cost nothing for blocks of light transactions, since the block context is not computed', async () => {
    const { threads, plain } = await openChains(1)
    const data = new Uint8Array(32)
    const from = new Uint8Array(20).fill(7)
    const transfer = decodeTransaction(
      encodeFrom(from, { gas: 70_999n, to: from, data }),
      senderInR,
    )
    const { gasLimit, miner } = { gasLimit: 10_000_000n, miner: from }
    const header = { gasLimit, miner, baseFeePerGas: 7n, prevRandao: data }
    for (let number = 1; number < 20; number++) {
      const env = blockEnv(plain.genesis.params, { ...header, number, timestamp: number })
      const block = threads.begin(env, () => {
        throw new Error('the block was looked at')
      })
      expect(block.take(transfer)).toBeUndefined()
      // Even a light transaction may take long if it waits for a processor
      await setTimeout(3)
      block.ran(transfer)
      block.end()
    }
  })

  test('leave transactions that read a block hash to the block itself', async () => {
    const chains = await openChains(2)
    const { phases } = chains
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, () => phases.adopted >= 20, 0.3)
    expect(errors).toEqual([])
  }, 60_000)

  test('that receive the state late execute other blocks, and every block is the same', async () => {
    const script = new URL('late-ahead-worker.ts', import.meta.url)
    const chains = await openChains(2, script)
    const { phases } = chains
    const isDone = (height: number) => height > 40 && phases.adopted >= 20
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, isDone)
    expect(errors).toEqual([])
  }, 60_000)

  test('that cannot read the state execute nothing', async () => {
    const script = new URL('blind-ahead-worker.ts', import.meta.url)
    const chains = await openChains(2, script)
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, (height) => height > 20)
    expect(errors).toEqual([])
    expect(chains.phases).toEqual({ adopted: 0, repeated: 0 })
  }, 60_000)

  test('pause while most transactions conflict', async () => {
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

  test('that die are replaced, and every block is the same', async () => {
    const script = new URL('dying-ahead-worker.ts', import.meta.url)
    const chains = await openChains(2, script)
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, () => errors.length >= 3)
    expect(new Set(errors)).toEqual(
      new Set(['a speculative execution thread died: it ended with code 7']),
    )
    expect(chains.phases.adopted).toBeGreaterThan(0)
  }, 60_000)

  test('that return results of other transactions are replaced, and every block is the same', async () => {
    const script = new URL('lying-ahead-worker.ts', import.meta.url)
    const chains = await openChains(2, script)
    // After eight deaths the threads are no longer replaced
    await compareBlocks(chains, new BusyBlocks(runSeed()), 0.05, () => errors.length >= 8)
    expect(errors.every((text) => text.includes('no read/write set of transaction'))).toBe(true)
    expect(chains.phases).toEqual({ adopted: 0, repeated: 0 })
  }, 60_000)
})
