import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LAST_SECOND } from '../../../../host/base/time.ts'
import type { DevChain } from '../../../../host/chain/dev/dev-chain.ts'
import { type DrivenHome, makeDevHome, openDriven } from './driven-home.ts'

/** 2^53 - 1 seconds. */
const HUGE = 0x1f_ffff_ffff_ffff

const root = mkdtempSync(join(tmpdir(), 'lockstep-last-time-'))
let home: DrivenHome

beforeAll(async () => {
  await makeDevHome(root)
  home = await openDriven(root, { 'dev.strict-time': 'true' })
})

afterAll(async () => {
  await home.close()
  rmSync(root, { recursive: true, force: true })
})

const latest = ({ stores }: DrivenHome) => {
  const { chain } = stores.amended
  return [chain.latest, chain.header(chain.latest)?.timestamp]
}

describe('a time past the year 9999', () => {
  const ways: readonly [name: string, use: (dev: DevChain, time: number) => unknown][] = [
    ['evm_increaseTime', ({ time }, at) => time.increase(at)],
    ['anvil_setTime', ({ time }, at) => time.set(at)],
    ['evm_setNextBlockTimestamp', ({ time }, at) => time.setNext(at)],
    ['anvil_setBlockTimestampInterval', ({ time }, at) => time.setBlockInterval(at)],
    ['evm_mine with a time', (dev, at) => dev.mine({ blocks: 1, timestamp: at })],
    ['anvil_mine with an interval', (dev, at) => dev.mine({ blocks: 2, interval: at })],
  ]

  test.each(ways)('is refused by %s, and the chain continues', async (_, use) => {
    const { dev } = home
    await dev.mine({ blocks: 1 })
    const before = latest(home)
    for (const time of [LAST_SECOND + 1, HUGE]) {
      await expect((async () => use(dev, time))()).rejects.toMatchObject({
        code: 'REFUSED_ARGUMENT',
        message: expect.stringMatching(
          /is too large: the last block is in the year 9999, timestamp 253402300799\. Give fewer seconds, or set the clock back with anvil_setTime, evm_revert or anvil_rollback$/,
        ),
      })
    }
    expect(latest(home)).toEqual(before)
    expect(dev.time.offset).toBe(0)
    expect(await dev.mine({ blocks: 1 })).toMatchObject({ first: Number(before[0]) + 1 })
  })

  test('is refused for the last of many blocks before the first is mined', async () => {
    const { dev } = home
    const [height = 0] = latest(home)
    const timestamp = LAST_SECOND - 10
    await expect(dev.mine({ blocks: 12, timestamp })).rejects.toThrow(
      'the last of 12 blocks, 1 s apart: its timestamp 253402300800 is too large',
    )
    expect(latest(home)[0]).toBe(height)
  })
})

test('a block may have the last second of 9999, no block can follow it, and a snapshot restores the chain', async () => {
  const { dev } = home
  const id = await dev.snapshot()
  await dev.mine({ blocks: 11, timestamp: LAST_SECOND - 10 })
  const [height = 0, time] = latest(home)
  expect(time).toBe(LAST_SECOND)
  await expect(dev.mine({ blocks: 1 })).rejects.toThrow(
    "the next block's timestamp 253402300800 is too large",
  )
  expect(dev.upcoming.timestamp).toBe(LAST_SECOND)
  await home.close()
  home = await openDriven(root, { 'dev.strict-time': 'true' })
  expect(latest(home)).toEqual([height, LAST_SECOND])
  expect(await home.dev.revert(id)).toBe(true)
  await home.dev.mine({ blocks: 1 })
  expect(latest(home)).toEqual([height - 10, expect.any(Number)])
  expect(latest(home)[1]).toBeLessThan(LAST_SECOND)
})
