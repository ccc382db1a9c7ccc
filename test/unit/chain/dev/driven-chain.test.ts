import { afterEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { SECOND } from '../../../../host/chain/dev/chain-clock.ts'
import type { DevRecord } from '../../../../host/chain/dev/dev-memory.ts'
import { DrivenChain, type DrivenChainOptions } from '../../../../host/chain/dev/driven-chain.ts'
import { NextBlockOverrides } from '../../../../host/chain/dev/next-block-overrides.ts'
import { UnlockedAccounts } from '../../../../host/chain/dev/unlocked-accounts.ts'
import { until } from '../../../support/until.ts'
import { FakeBlockProducer } from './fake-maker.ts'

const chains: DrivenChain[] = []

afterEach(async () => {
  await Promise.all(chains.splice(0).map((chain) => chain.stop()))
})

const WALL = 5_000n

interface Opened {
  readonly chain: DrivenChain
  readonly maker: FakeBlockProducer
  readonly errors: unknown[]
  readonly pool: { waiting: number; dropped: number }
  kept: DevRecord | undefined
}

function open(options: Partial<DrivenChainOptions> = {}, record?: DevRecord): Opened {
  const maker = new FakeBlockProducer()
  const errors: unknown[] = []
  const pool = { waiting: 0, dropped: 0 }
  const opened = { maker, errors, pool, kept: record } as Opened & { chain: DrivenChain }
  opened.chain = new DrivenChain({
    maker,
    memory: {
      record,
      save: (kept) => {
        opened.kept = { ...kept, snapshots: new Map(kept.snapshots) }
      },
    },
    pool: {
      drop: () => false,
      dropAll: () => {
        pool.dropped++
        return 0
      },
      dropOf: () => 0,
    },
    accounts: new UnlockedAccounts([]),
    settings: new NextBlockOverrides(),
    clock: { wallTime: () => WALL * SECOND, monotonic: () => 0, wait: async () => {} },
    automine: true,
    intervalMs: 0,
    createEmptyBlocks: true,
    waiting: () => pool.waiting,
    onError: (error) => errors.push(error),
    ...options,
  })
  chains.push(opened.chain)
  return opened
}

function timesOf({ blocks }: FakeBlockProducer): number[] {
  return blocks.map(({ time }) => Number(time / SECOND))
}

describe('the first block of an interval', () => {
  /** Returns the waits of a chain of two seconds, and its height at the first of them. */
  async function firstWait(waitsAtStart: boolean) {
    const waits: number[] = []
    const clock = {
      wallTime: () => WALL * SECOND,
      monotonic: () => 0,
      wait: (ms: number, signal: AbortSignal) => {
        waits.push(ms)
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      },
    }
    const { chain, maker } = open({ clock, automine: false, intervalMs: 2_000, waitsAtStart })
    chain.start()
    await until(() => waits.length > 0)
    return { waits, height: maker.height }
  }

  test('is due at once, so that a new chain has one', async () => {
    expect(await firstWait(false)).toEqual({ waits: [2_000], height: 1 })
  })

  test('is due after the interval if the interval is that of anvil', async () => {
    expect(await firstWait(true)).toEqual({ waits: [2_000], height: 0 })
  })
})

describe('mining on a development chain', () => {
  test('produces exactly the requested blocks, which may share a second', async () => {
    const { chain, maker } = open()
    expect(await chain.mine({ blocks: 3 })).toEqual({ first: 1, last: 3 })
    expect(await chain.mine({ blocks: 0 })).toEqual({ first: 4, last: 3 })
    expect(timesOf(maker)).toEqual([5_000, 5_000, 5_000])
  })

  test('gives each block a second of its own if time is strict', async () => {
    const { chain, maker } = open({ isStrictTime: true })
    await chain.mine({ blocks: 3 })
    expect(timesOf(maker)).toEqual([5_000, 5_001, 5_002])
  })

  test('keeps the interval between its blocks, and the clock continues from the last', async () => {
    const { chain, maker } = open()
    await chain.mine({ blocks: 3, interval: 60 })
    await chain.mine({ blocks: 1 })
    expect(timesOf(maker)).toEqual([5_000, 5_060, 5_120, 5_120])
  })

  test('starts at the given time and refuses a time in the past', async () => {
    const { chain, maker } = open()
    await chain.mine({ blocks: 2, timestamp: 9_000 })
    expect(timesOf(maker)).toEqual([9_000, 9_000])
    await expect(chain.mine({ blocks: 1, timestamp: 8_999 })).rejects.toThrow(
      "Timestamp error: 8999 is lower than previous block's timestamp 9000",
    )
    expect(maker.height).toBe(2)
  })

  test('stops when its caller disconnects or the node stops, and keeps the blocks that were made', async () => {
    const { chain, maker } = open()
    const leaving = new AbortController()
    const make = maker.make.bind(maker)
    maker.make = async (settings) => {
      if (maker.height === 2) leaving.abort()
      return make(settings)
    }
    const mining = chain.mine({ blocks: 1_000_000, signal: leaving.signal })
    await expect(mining).rejects.toThrow('3 of 1000000 blocks were made')
    expect(maker.height).toBe(3)
    const another = chain.mine({ blocks: 1_000_000 })
    another.catch(() => {})
    await chain.stop()
    await expect(another).rejects.toThrow(/blocks were made|the node is stopping/)
  })

  test('is refused after the last height', async () => {
    const { chain, maker, errors } = open()
    maker.isHalted = true
    await expect(chain.mine({ blocks: 1 })).rejects.toThrow('no block is made after height 0')
    expect(errors).toEqual([])
  })

  test('halts the chain if it fails, and rejects the call', async () => {
    const { chain, maker, errors } = open()
    maker.failure = new Error('disk full')
    await expect(chain.mine({ blocks: 1 })).rejects.toThrow('disk full')
    expect(errors).toEqual([maker.failure])
  })
})

test('the overrides of the next block apply to that block only, and other settings persist', async () => {
  const { chain, maker } = open()
  const coinbase = new Uint8Array(20).fill(1)
  const prevRandao = new Uint8Array(32).fill(2)
  Object.assign(chain.next, { baseFee: 3n, prevRandao, coinbase, gasLimit: 4n })
  expect(chain.upcoming).toEqual({
    baseFee: 3n,
    prevRandao,
    coinbase,
    gasLimit: 4n,
    timestamp: 5_000,
  })
  await chain.mine({ blocks: 2 })
  const [first, second] = maker.blocks
  expect(first).toMatchObject({ baseFee: 3n, prevRandao, coinbase, gasLimit: 4n })
  expect(second).toMatchObject({
    baseFee: undefined,
    prevRandao: undefined,
    coinbase,
    gasLimit: 4n,
  })
  expect(chain.nextBaseFee).toBe(7n)
})

test('calls that change the chain run one after another, in order', async () => {
  const { chain, maker } = open()
  const noChange = () => {
    throw new Error('not asked for')
  }
  const [, , id] = await Promise.all([
    chain.mine({ blocks: 2 }),
    chain.amend(noChange),
    chain.snapshot(),
    chain.mine({ blocks: 1 }),
    chain.revert(1n),
    chain.mine({ blocks: 1 }),
  ])
  expect(id).toBe(1n)
  expect(maker.events).toEqual(['block 1', 'block 2', 'amend 2', 'block 3', 'cut 2', 'block 3'])
})

describe('revert on a development chain', () => {
  test('restores the blocks, amendments, time and settings of the snapshot', async () => {
    const { chain, maker } = open()
    await chain.mine({ blocks: 1 })
    await chain.amend(() => Promise.reject())
    chain.next.gasLimit = 9n
    const id = await chain.snapshot()
    chain.time.increase(1_000)
    chain.next.gasLimit = undefined
    await chain.amend(() => Promise.reject())
    await chain.mine({ blocks: 2 })
    expect(await chain.revert(id)).toBe(true)
    expect(maker.height).toBe(1)
    expect(maker.amendments(1)).toBe(1)
    await chain.mine({ blocks: 1 })
    expect(timesOf(maker)).toEqual([5_000, 5_000])
    expect(maker.blocks[1]?.gasLimit).toBe(9n)
  })

  test('deletes the snapshot and later ones, and never reuses an id', async () => {
    const { chain } = open()
    const ids = [await chain.snapshot(), await chain.snapshot(), await chain.snapshot()]
    expect(ids).toEqual([1n, 2n, 3n])
    expect(await chain.revert(2n)).toBe(true)
    expect(await chain.revert(3n)).toBe(false)
    expect(await chain.revert(2n)).toBe(false)
    expect(await chain.snapshot()).toBe(4n)
    expect(await chain.revert(1n)).toBe(true)
    expect(await chain.revert(77n)).toBe(false)
  })

  test('notifies listeners if the latest state has changed', async () => {
    const { chain, maker } = open()
    const id = await chain.snapshot()
    await chain.mine({ blocks: 2 })
    const heights: number[] = []
    const stop = chain.onAmend(() => heights.push(maker.height))
    await chain.revert(id)
    expect(heights).toEqual([0])
    expect(await chain.revert(id)).toBe(false)
    stop()
    await chain.reset()
    expect(heights).toHaveLength(1)
  })

  test('leaves the chain running if it is refused, and halts it if it fails', async () => {
    const { chain, maker, errors } = open()
    const [first, second] = [await chain.snapshot(), await chain.snapshot()]
    const refusal = new LockstepError('UNSUPPORTED', 'what this chain has is not changed by hand')
    maker.cut = () => Promise.reject(refusal)
    await expect(chain.revert(second)).rejects.toBe(refusal)
    expect(errors).toEqual([])
    maker.cut = () => Promise.reject(new Error('disk full'))
    await expect(chain.revert(first)).rejects.toThrow('disk full')
    expect(errors).toEqual([new Error('disk full')])
  })

  test('in a new run restores a snapshot of the previous run', async () => {
    const first = open()
    await first.chain.snapshot()
    first.chain.time.increase(42)
    first.chain.next.gasLimit = 9n
    await first.chain.stop()
    const second = open({}, first.kept)
    expect(second.chain.time.offset).toBe(42)
    expect(second.chain.next.gasLimit).toBe(9n)
    await second.chain.mine({ blocks: 1 })
    expect(timesOf(second.maker)).toEqual([5_042])
    expect(await second.chain.revert(1n)).toBe(true)
    expect(second.chain.time.offset).toBe(0)
    expect(await second.chain.snapshot()).toBe(2n)
  })
})

test('rollback removes the latest blocks and their snapshots', async () => {
  const { chain, maker } = open()
  await chain.mine({ blocks: 1 })
  const kept = await chain.snapshot()
  await chain.mine({ blocks: 2 })
  const gone = await chain.snapshot()
  await chain.rollback(1)
  expect(maker.height).toBe(2)
  expect(await chain.revert(gone)).toBe(false)
  expect(await chain.revert(kept)).toBe(true)
  await expect(chain.rollback(2)).rejects.toThrow('cannot remove 2 blocks: only 1 can be removed')
  expect(maker.height).toBe(1)
})

test('reset returns to the first block and to the settings of the start', async () => {
  const { chain, maker, pool } = open()
  const { instanceId } = chain
  await chain.mine({ blocks: 2 })
  chain.automine = false
  chain.intervalMs = 0
  chain.time.increase(100)
  chain.next.coinbase = new Uint8Array(20)
  const id = await chain.snapshot()
  await chain.reset()
  expect([maker.height, chain.automine, chain.time.offset, pool.dropped]).toEqual([0, true, 0, 1])
  expect(chain.next.coinbase).toBeUndefined()
  expect(chain.instanceId).not.toEqual(instanceId)
  expect(await chain.revert(id)).toBe(false)
})

describe('automine on a development chain', () => {
  test('produces one block for the pending transactions, and no block if an earlier one included them', async () => {
    const { chain, maker, pool } = open()
    pool.waiting = 2
    maker.make = async (settings) => {
      maker.blocks.push(settings)
      pool.waiting = 0
      return 2
    }
    await Promise.all([
      chain.automined(() => pool.waiting > 0),
      chain.automined(() => pool.waiting > 0),
    ])
    expect(maker.height).toBe(1)
  })

  test('stops after a block that includes no pending transaction', async () => {
    const { chain, maker } = open()
    await chain.automined(() => true)
    expect(maker.height).toBe(1)
  })

  test('continues while others fill its blocks, however many transactions arrive meanwhile', async () => {
    const { chain, maker, pool } = open()
    maker.held = 1
    const turns: string[] = []
    await chain.automined(
      () => {
        pool.waiting += 5
        return maker.height < 3
      },
      () => {
        turns.push('begun')
        return () => turns.push('over')
      },
    )
    expect(maker.height).toBe(3)
    expect(turns).toEqual(['begun', 'over'])
  })

  test('produces a block at the start for transactions of the previous run', async () => {
    const { chain, maker, pool } = open()
    pool.waiting = 1
    chain.start()
    await chain.snapshot()
    expect(maker.height).toBe(1)
  })
})
