import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { ANVIL, startAnvil } from '../support/peer/anvil.ts'
import { until } from '../support/until.ts'

const home = makeHome()
const FLAGS = ['--dev.automine', 'true']
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: FLAGS })
})

afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

const rpc = <Result>(method: string, params: unknown[] = []) =>
  call<Result>(daemon.ready.rpc, method, params)

/** 2^53 - 1, the maximum of such a parameter. */
const HUGE = '0x1fffffffffffff'
/** The first second of the year 10000. */
const LATE = '0x3afff44180'

describe('a time past the year 9999 is refused without stopping the chain', () => {
  const asked: readonly [method: string, params: unknown[]][] = [HUGE, LATE].flatMap(
    (time): [string, unknown[]][] => [
      ['evm_increaseTime', [time]],
      ['anvil_increaseTime', [Number(time)]],
      ['evm_setNextBlockTimestamp', [time]],
      ['anvil_setNextBlockTimestamp', [time]],
      ['anvil_setBlockTimestampInterval', [time]],
      ['anvil_mine', [2, time]],
      ['hardhat_mine', ['0x2', time]],
      ['evm_mine', [time]],
      ['evm_mine', [{ timestamp: Number(time), blocks: 3 }]],
      ['evm_mine_detailed', [{ timestamp: time }]],
    ],
  )
  // Times after the year 9999 are in milliseconds here.
  const set: readonly [method: string, params: unknown[]][] = [
    ['evm_setTime', [HUGE]],
    ['anvil_setTime', [HUGE]],
    ['hardhat_setBlockTimestampInterval', [9_007_199_254_740_000]],
  ]

  test.each([...asked, ...set])('by %s %j', async (method, params) => {
    const before = await rpc('eth_blockNumber')
    expect((await post(daemon.ready.rpc, method, params)).error).toEqual({
      code: -32602,
      message: expect.stringMatching(
        /^.*\b\d{10,}\b.* is too large: the last block is in the year 9999, timestamp 253402300799\. Give fewer seconds, or set the clock back with anvil_setTime, evm_revert or anvil_rollback$/,
      ),
    })
    expect(await rpc('eth_blockNumber')).toBe(before)
    await rpc('evm_mine')
  })

  test('and the chain restarts afterwards', async () => {
    const before = await rpc('eth_blockNumber')
    expect(await daemon.stop()).toBe(0)
    daemon = await startDaemon({ home, arguments: FLAGS })
    expect(await rpc('eth_blockNumber')).toBe(before)
  })

  test('and is accepted by eth_call and eth_simulateV1, which do not store it', async () => {
    // TIMESTAMP as a word
    const code = '0x4260005260206000f3'
    const to = `0x${'77'.repeat(20)}`
    const word = `0x${HUGE.slice(2).padStart(64, '0')}`
    const overrides = { [to]: { code } }
    expect(await rpc('eth_call', [{ to }, 'latest', overrides, { time: HUGE }])).toBe(word)
    const simulated = await rpc<{ timestamp: string; calls: { returnData: string }[] }[]>(
      'eth_simulateV1',
      [
        {
          blockStateCalls: [
            { blockOverrides: { time: HUGE }, stateOverrides: overrides, calls: [{ to }] },
          ],
        },
        'latest',
      ],
    )
    expect(simulated).toMatchObject([{ timestamp: HUGE, calls: [{ returnData: word }] }])
  })
})

describe('an interval of more than 2^31 - 1 ms', () => {
  /** Sets an interval, checks that no block comes for half a second, and returns the reported interval. */
  async function mined(url: string, method: string, interval: number): Promise<unknown> {
    const height = () => call<string>(url, 'eth_blockNumber')
    await call(url, method, [interval])
    const before = await height()
    const began = Date.now()
    await until(() => Date.now() > began + 500)
    const told = await call(url, 'anvil_getIntervalMining')
    expect(await height()).toBe(before)
    await call(url, 'anvil_setIntervalMining', [0])
    return told
  }

  test.each([
    ['anvil_setIntervalMining', 9_999_999_999, 9_999_999_999],
    ['evm_setIntervalMining', 9_999_999_999, 9_999_999.999],
  ])('causes no early block if set by %s %i', async (method, interval, told) => {
    expect(await mined(daemon.ready.rpc, method, interval)).toBe(told)
  })

  test.skipIf(!existsSync(ANVIL))('is accepted, as by anvil', async () => {
    const anvil = await startAnvil(31_337)
    try {
      expect(await mined(anvil.url, 'anvil_setIntervalMining', 9_999_999_999)).toBe(9_999_999_999)
    } finally {
      await anvil.stop()
    }
  })
})
