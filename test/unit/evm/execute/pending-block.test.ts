import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseData } from '../../../../host/base/hex.ts'
import type { Transaction } from '../../../../host/evm/chain-types/transaction.ts'
import type { BlockEngine } from '../../../../host/evm/execute/block-engine.ts'
import { EnginePool } from '../../../../host/evm/execute/engine-pool.ts'
import { lockstepRules } from '../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import { PendingBlocks } from '../../../../host/evm/execute/pending-block.ts'
import { decodeAccount } from '../../../../host/evm/state/account.ts'
import { OverlayState } from '../../../../host/evm/state/overlay-state.ts'
import { openHasher } from '../../../../host/node/commit-hasher.ts'
import { MemoryChain } from '../../../support/chain/memory-chain.ts'
import { plainReceipt } from '../../../support/chain/plain-receipt.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'
import { devAccount, signDynamicFee } from '../../../support/node/dev-wallet.ts'

const GWEI = 10n ** 9n
const alice = parseData(devAccount(0).address)
const contract = new Uint8Array(20).fill(0xc0)

/** Init code that deploys nothing and spends its gas in a loop. */
const LOOP = '0x5b5f56' as const

interface Sent {
  readonly sender?: number
  readonly nonce: number
  readonly value?: bigint
  readonly gas?: bigint
  readonly data?: `0x${string}`
}

async function sign({ sender = 0, nonce, value = 1n, gas = 21_000n, data }: Sent) {
  const maxPriorityFeePerGas = BigInt(10 - sender) * GWEI
  const to = data === undefined ? '0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0' : undefined
  return parseData(
    await signDynamicFee(sender, { nonce, gas, value, maxPriorityFeePerGas, to, data }),
  )
}

let chain: MemoryChain
let pending: PendingBlocks
let runs: number
let pauses: number
/** The clock, and how much each reading advances it. */
let now: number
let slow: number

beforeEach(async () => {
  const module = await compileEngine()
  chain = await MemoryChain.open(await openEngine(module))
  await chain.initialise()
  await chain.produce()
  const { chain: blocks, state } = chain.storage
  runs = 0
  pauses = 0
  now = 0
  slow = 1
  pending = new PendingBlocks({
    history: {
      header: (height) => blocks.header(height),
      block: (height) => blocks.block(height),
      receipts: (height) => blocks.receipts(height),
      view: (height) => state.view(height),
      before: (height) => state.view(height - 1),
      fork: (height) => {
        runs++
        return new OverlayState(state.view(height))
      },
    },
    rules: lockstepRules(chain.genesis.params, state),
    hasher: await openHasher(),
    engines: new EnginePool<BlockEngine>(() => openEngine(module), 1, 8),
    pool: chain.mempool,
    latest: () => chain.height,
    clock: () => 1_700_000_100_000,
    timer: () => {
      now += slow
      return now
    },
    pause: () => {
      pauses++
      return setImmediate()
    },
  })
})

describe('the pending block', () => {
  test('contains the executable transactions of the pool in proposal order, on top of the latest block', async () => {
    await chain.mempool.add(await sign({ sender: 1, nonce: 0 }))
    await chain.mempool.add(await sign({ sender: 0, nonce: 0, value: 5n }))
    await chain.mempool.add(await sign({ sender: 0, nonce: 1, value: 7n }))
    await chain.mempool.add(await sign({ sender: 0, nonce: 3 }))
    const { block, transactions, receipts, view } = await pending.latest()
    expect(block.header).toMatchObject({ number: 2, gasUsed: 63_000n, timestamp: 1_700_000_100 })
    expect(block.header.parentHash).toEqual(chain.storage.chain.header(1)?.hash)
    expect(transactions.map(({ nonce, value }) => [nonce, value])).toEqual([
      [0n, 5n],
      [1n, 7n],
      [0n, 1n],
    ])
    expect(receipts.map(({ cumulativeGasUsed }) => cumulativeGasUsed)).toEqual([
      21_000n,
      42_000n,
      63_000n,
    ])
    expect(decodeAccount(view.account(contract)).balance).toBe(13n)
    expect(decodeAccount(view.account(alice)).nonce).toBe(2n)
    // The chain itself must be unchanged.
    expect(chain.height).toBe(1)
    expect(chain.storage.state.view(1).account(contract)).toBeUndefined()
  })

  test('has the transactions, gas, bloom and fee of the block that is produced next', async () => {
    await chain.mempool.add(await sign({ nonce: 0, gas: 100_000n, data: '0x60015f5fa1' }))
    await chain.mempool.add(await sign({ nonce: 1, gas: 60_000n, data: LOOP }))
    const { block, receipts } = await pending.latest()
    const made = await chain.produce()
    const { gasUsed, logsBloom, baseFeePerGas, number } = made.block.header
    expect(block.header).toMatchObject({ gasUsed, logsBloom, baseFeePerGas, number })
    expect(block.transactions).toEqual(made.block.transactions)
    expect(receipts.map(plainReceipt)).toEqual(made.receipts.map(plainReceipt))
    expect(receipts.map(({ status }) => status)).toEqual([1, 0])
  })

  test('is empty if the pool is empty, and omits transactions that do not fit', async () => {
    expect((await pending.latest()).transactions).toEqual([])
    const { maxGas } = chain.genesis.params
    await chain.mempool.add(await sign({ sender: 0, nonce: 0, gas: maxGas, data: LOOP }))
    await chain.mempool.add(await sign({ sender: 1, nonce: 0 }))
    const { transactions, block } = await pending.latest()
    expect(transactions).toHaveLength(1)
    expect(block.header.gasUsed).toBe(maxGas)
  })
})

describe('the computation of pending blocks', () => {
  test('ends early and keeps its results if it takes longer than half of a block time', async () => {
    for (let nonce = 0; nonce < 3; nonce++) {
      await chain.mempool.add(await sign({ nonce, gas: 4_000_000n, data: LOOP }))
    }
    slow = 200
    expect((await pending.latest()).transactions).toHaveLength(2)
  })

  test('has each transaction once though the pool loses it while it runs', async () => {
    const withdrawn = new Set<Uint8Array>()
    const sent = [0, 1, 2].map((nonce) => ({ sender: nonce, nonce: 0 }))
    for (const each of sent) await chain.mempool.add(await sign(each))
    const { candidates } = chain.mempool
    // As when a block is decided meanwhile, a candidate is gone once its execution has begun.
    chain.mempool.candidates = (baseFee) => {
      const source = candidates.call(chain.mempool, baseFee)
      let best: Transaction | undefined
      return {
        peek: () => {
          best = source.peek()
          if (best !== undefined)
            void Promise.resolve(best.hash).then((hash) => withdrawn.add(hash))
          return best
        },
        take: () => {
          if (best !== undefined && withdrawn.has(best.hash)) throw new RangeError('it is gone')
          return source.take()
        },
        drop: (sender) => source.drop(sender),
        skip: () => source.skip(),
      }
    }
    const { transactions } = await pending.latest()
    expect(transactions.map(({ from }) => from)).toEqual(
      sent.map(({ sender }) => parseData(devAccount(sender).address)),
    )
  })

  test('runs once for all requests with the same pool and head', async () => {
    await chain.mempool.add(await sign({ nonce: 0 }))
    const all = await Promise.all(Array.from({ length: 50 }, () => pending.latest()))
    expect(new Set(all).size).toBe(1)
    expect(await pending.latest()).toBe(all[0])
    expect(runs).toBe(1)
    await chain.produce()
    expect((await pending.latest()).block.header.number).toBe(3)
    expect(runs).toBe(2)
  })

  test('includes a transaction for every request that arrives after it was accepted', async () => {
    for (let nonce = 0; nonce < 5; nonce++) {
      // A request of another client, which may already be running.
      const other = pending.latest()
      await chain.mempool.add(await sign({ nonce }))
      expect((await pending.latest()).transactions).toHaveLength(nonce + 1)
      await other
    }
  })

  test('yields to other work, and its result is cached for a while if it took long', async () => {
    let turns = 0
    let running = true
    const count = async () => {
      for (; running; turns++) await setImmediate()
    }
    const counting = count()
    for (let nonce = 0; nonce < 3; nonce++) {
      await chain.mempool.add(await sign({ nonce, gas: 10_000_000n, data: LOOP }))
    }
    turns = 0
    const { transactions } = await pending.latest()
    expect(transactions).toHaveLength(3)
    expect(turns).toBeGreaterThan(3)
    running = false
    await counting
    await chain.mempool.add(await sign({ sender: 1, nonce: 0 }))
    await pending.latest()
    expect(runs).toBe(1)
    now += 1000
    expect((await pending.latest()).transactions).toHaveLength(4)
    expect(runs).toBe(2)
    await chain.produce()
    await pending.latest()
    expect(runs).toBe(3)
    expect(pauses).toBeGreaterThan(0)
  })
})
