import { afterEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../host/base/error.ts'
import { SECOND } from '../../../host/dev/chain-clock.ts'
import type { DevRecord } from '../../../host/dev/dev-memory.ts'
import { DrivenChain, type DrivenChainOptions } from '../../../host/dev/driven-chain.ts'
import { HeldAccounts } from '../../../host/dev/held-accounts.ts'
import { SettingsToCome } from '../../../host/dev/settings.ts'
import { FakeMaker } from './fake-maker.ts'

const chains: DrivenChain[] = []

afterEach(async () => {
  await Promise.all(chains.splice(0).map((chain) => chain.stop()))
})

const WALL = 5_000n

interface Opened {
  readonly chain: DrivenChain
  readonly maker: FakeMaker
  readonly errors: unknown[]
  readonly pool: { waiting: number; dropped: number }
  kept: DevRecord | undefined
}

function open(options: Partial<DrivenChainOptions> = {}, record?: DevRecord): Opened {
  const maker = new FakeMaker()
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
    accounts: new HeldAccounts([]),
    settings: new SettingsToCome(),
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

function timesOf({ blocks }: FakeMaker): number[] {
  return blocks.map(({ time }) => Number(time / SECOND))
}

describe('mine', () => {
  test('makes exactly the blocks that are asked for, a second apart', async () => {
    const { chain, maker } = open()
    expect(await chain.mine({ blocks: 3 })).toEqual({ first: 1, last: 3 })
    expect(await chain.mine({ blocks: 0 })).toEqual({ first: 4, last: 3 })
    expect(timesOf(maker)).toEqual([5_000, 5_001, 5_002])
  })

  test('keeps the interval between its blocks, and the clock goes on from the last', async () => {
    const { chain, maker } = open()
    await chain.mine({ blocks: 3, interval: 60 })
    await chain.mine({ blocks: 1 })
    expect(timesOf(maker)).toEqual([5_000, 5_060, 5_120, 5_121])
  })

  test('begins at the time that is given, and refuses one that is past', async () => {
    const { chain, maker } = open()
    await chain.mine({ blocks: 2, timestamp: 9_000 })
    expect(timesOf(maker)).toEqual([9_000, 9_001])
    await expect(chain.mine({ blocks: 1, timestamp: 9_001 })).rejects.toThrow(
      "Timestamp error: 9001 is lower than or equal to previous block's timestamp 9001",
    )
    expect(maker.height).toBe(2)
  })

  test('ends where nobody waits for it any more, or the node stops: what was made stays', async () => {
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

  test('is refused once the last height is reached', async () => {
    const { chain, maker, errors } = open()
    maker.isHalted = true
    await expect(chain.mine({ blocks: 1 })).rejects.toThrow('no block is made after height 0')
    expect(errors).toEqual([])
  })

  test('that fails ends the chain, and tells who asked', async () => {
    const { chain, maker, errors } = open()
    maker.failure = new Error('disk full')
    await expect(chain.mine({ blocks: 1 })).rejects.toThrow('disk full')
    expect(errors).toEqual([maker.failure])
  })
})

test('settings of the next block are of that alone, the others stay', async () => {
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

test('what changes the chain is done one after another, in the order of the calls', async () => {
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

describe('revert', () => {
  test('goes back to blocks, amendments, time and settings of the snapshot', async () => {
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
    expect(timesOf(maker)).toEqual([5_000, 5_001])
    expect(maker.blocks[1]?.gasLimit).toBe(9n)
  })

  test('forgets the snapshot and those after it; no id is given twice', async () => {
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

  test('tells that the newest state is another, where it is', async () => {
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

  test('that is refused leaves the chain running; one that fails ends it', async () => {
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

  test('after a new run goes back to a snapshot of the last', async () => {
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

test('rollback removes the newest blocks and the snapshots of them', async () => {
  const { chain, maker } = open()
  await chain.mine({ blocks: 1 })
  const kept = await chain.snapshot()
  await chain.mine({ blocks: 2 })
  const gone = await chain.snapshot()
  await chain.rollback(1)
  expect(maker.height).toBe(2)
  expect(await chain.revert(gone)).toBe(false)
  expect(await chain.revert(kept)).toBe(true)
  await expect(chain.rollback(2)).rejects.toThrow('cannot remove 2 blocks: the chain has 1')
  expect(maker.height).toBe(1)
})

test('reset goes back to the first block and to how the node was started', async () => {
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

describe('automine', () => {
  test('makes one block for what waits, and none where an earlier block took it', async () => {
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

  test('ends with a block that takes none of those that wait', async () => {
    const { chain, maker } = open()
    await chain.automined(() => true)
    expect(maker.height).toBe(1)
  })

  test('goes on while blocks are filled by others, however many come meanwhile', async () => {
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

  test('gives a block at the start to what waits since the last run', async () => {
    const { chain, maker, pool } = open()
    pool.waiting = 1
    chain.start()
    await chain.snapshot()
    expect(maker.height).toBe(1)
  })
})
