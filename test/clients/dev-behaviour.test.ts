import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

type Json = Record<string, unknown>

const home = makeHome()
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: ['--dev.automine', 'true'] })
}, 60_000)
beforeEach(() => rpc('anvil_reset'))
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return call<Result>(daemon.ready.rpc, method, params)
}

const [OWNER, FRIEND, THIRD] = [0, 1, 2].map((index) => devAccount(index).address.toLowerCase())

const time = async () => {
  const block = await rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  return Number(block.timestamp)
}
const height = async () => Number(await rpc('eth_blockNumber'))
const send = (from: unknown, more: Json = {}) =>
  rpc<string>('eth_sendTransaction', { from, to: THIRD, value: '0x1', ...more })

describe('automining', () => {
  test('mines the pending transactions in one block at once when it is turned on', async () => {
    await rpc('evm_setAutomine', false)
    const hashes = [await send(OWNER), await send(OWNER), await send(FRIEND)]
    expect(await height()).toBe(0)
    expect(await rpc('evm_setAutomine', true)).toBe(true)
    expect(await height()).toBe(1)
    const block = await rpc<{ transactions: string[] }>('eth_getBlockByNumber', 'latest', false)
    expect(block.transactions.toSorted()).toEqual(hashes.toSorted())
  })

  test('makes no block when it is turned on and nothing is pending', async () => {
    await rpc('evm_setAutomine', false)
    await rpc('evm_setAutomine', true)
    expect(await height()).toBe(0)
  })
})

test('eth_pendingTransactions has the transactions of unlocked and impersonated accounts', async () => {
  const stranger = '0x00000000000000000000000000000000000000aa'
  await rpc('evm_setAutomine', false)
  await rpc('anvil_setBalance', stranger, '0xde0b6b3a7640000')
  await rpc('anvil_impersonateAccount', stranger)
  const [first, second, third] = [await send(OWNER), await send(OWNER), await send(stranger)]
  const pending = await rpc<Json[]>('eth_pendingTransactions')
  expect(pending.map(({ hash }) => hash).toSorted()).toEqual([first, second, third].toSorted())
  for (const one of pending) {
    expect(one).toEqual(await rpc('eth_getTransactionByHash', one.hash))
    expect(one.blockHash).toBeNull()
  }
  await rpc('anvil_stopImpersonatingAccount', stranger)
  expect(await rpc<Json[]>('eth_pendingTransactions')).toHaveLength(2)
  await rpc('hardhat_dropTransaction', second)
  expect((await rpc<Json[]>('eth_pendingTransactions')).map(({ hash }) => hash)).toEqual([first])
})

describe('the time of blocks', () => {
  test('does not run ahead of the clock with sixty automined transactions', async () => {
    await rpc('evm_mine')
    const [from, began] = [await time(), performance.now()]
    for (let i = 0; i < 60; i++) await send(OWNER)
    expect(await height()).toBe(61)
    const elapsed = (performance.now() - began) / 1000
    expect((await time()) - from).toBeLessThanOrEqual(Math.ceil(elapsed))
  })

  test('may be that of the latest block, but not before it', async () => {
    await rpc('evm_mine')
    const latest = (await time()) + 100
    await rpc('evm_setNextBlockTimestamp', latest)
    await rpc('evm_mine')
    await rpc('evm_setNextBlockTimestamp', latest)
    await rpc('evm_mine')
    expect(await time()).toBe(latest)
    await rpc('evm_increaseTime', 0)
    await expect(rpc('evm_setNextBlockTimestamp', latest - 1)).rejects.toThrow(
      `Timestamp error: ${latest - 1} is lower than previous block's timestamp ${latest}`,
    )
  })

  test('is a second apart by hardhat_mine, and the same by anvil_mine', async () => {
    await rpc('hardhat_mine', '0x1')
    const from = await time()
    await rpc('hardhat_mine', '0x4')
    expect((await time()) - from).toBeGreaterThanOrEqual(3)
    await rpc('anvil_mine', 100, 0)
    const times = await Promise.all(
      [6, 50, 105].map((number) =>
        rpc<{ timestamp: string }>('eth_getBlockByNumber', `0x${number.toString(16)}`, false),
      ),
    )
    expect(new Set(times.map(({ timestamp }) => timestamp)).size).toBe(1)
  })
})

/** Init code that reverts before a time: PUSH4 TIMESTAMP LT ISZERO PUSH1 14 JUMPI REVERT JUMPDEST RETURN. */
const notBefore = (seconds: number) =>
  `0x63${seconds.toString(16).padStart(8, '0')}421015600e575f5ffd5b5f5ff3`

describe('the gas of a transaction that names none', () => {
  test('is estimated in the next block: after evm_increaseTime', async () => {
    await rpc('evm_mine')
    const data = notBefore((await time()) + 5_000)
    await expect(rpc('eth_estimateGas', { from: OWNER, data })).rejects.toThrow(
      'execution reverted',
    )
    await expect(send(OWNER, { to: undefined, data })).rejects.toThrow('execution reverted')
    await rpc('evm_increaseTime', 5_000)
    // The latest block is as old as before.
    const call = { from: OWNER, data }
    await expect(rpc('eth_estimateGas', call, 'latest')).rejects.toThrow('execution reverted')
    expect(Number(await rpc('eth_estimateGas', call))).toBeGreaterThan(53_000)
    const hash = await send(OWNER, { to: undefined, data })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('is estimated in the next block: after evm_setNextBlockTimestamp', async () => {
    await rpc('evm_mine')
    const at = (await time()) + 9_000
    await rpc('evm_setNextBlockTimestamp', at)
    const hash = await send(OWNER, { to: undefined, data: notBefore(at) })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await time()).toBe(at)
  })

  test('is estimated with the coinbase and the randomness that are set', async () => {
    const coinbase = '0x00000000000000000000000000000000000000bb'
    await rpc('anvil_setCoinbase', coinbase)
    await rpc('hardhat_setPrevRandao', `0x${'7'.padStart(64, '0')}`)
    // Reverts unless COINBASE is 0xbb and PREVRANDAO is 7.
    const asked = { from: OWNER, data: '0x60bb41144460071416600f575f5ffd5b5f5ff3' }
    expect(Number(await rpc('eth_estimateGas', asked))).toBeGreaterThan(53_000)
    await expect(rpc('eth_estimateGas', asked, 'latest')).rejects.toThrow('execution reverted')
  })

  test('is estimated with the balance after the pending transactions', async () => {
    await rpc('evm_setAutomine', false)
    const poor = '0x00000000000000000000000000000000000000cc'
    await send(OWNER, { to: poor, value: '0x64' })
    const asked = { from: poor, to: THIRD, value: '0x64' }
    expect(await rpc('eth_estimateGas', asked)).toBe('0x5208')
    await expect(rpc('eth_estimateGas', asked, 'latest')).rejects.toThrow('insufficient funds')
    await rpc('evm_setAutomine', true)
  })
})

test('a pending transaction is found by its index, raw and decoded', async () => {
  await rpc('evm_setAutomine', false)
  const hash = await send(OWNER)
  const raw = await rpc('eth_getRawTransactionByHash', hash)
  expect(raw).toMatch(/^0x02/)
  expect(await rpc('eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x0')).toBe(raw)
  expect(await rpc('eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x1')).toBe('0x')
  expect(await rpc('eth_getRawTransactionByBlockNumberAndIndex', 'latest', '0x0')).toBe('0x')
})

/** Init code that reverts without a reason. */
const REVERTS = '0x5f5ffd'

test('an unlocked transaction that reverts and names no gas is refused, and not mined', async () => {
  await expect(send(OWNER, { to: undefined, data: REVERTS })).rejects.toThrow('execution reverted')
  expect(await height()).toBe(0)
  const hash = await send(OWNER, { to: undefined, data: REVERTS, gas: '0x186a0' })
  expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0' })
})

test('hardhat_intervalMine makes a block, and eth_protocolVersion is that of anvil', async () => {
  expect(await rpc('hardhat_intervalMine')).toBe(true)
  expect(await height()).toBe(1)
  expect(await rpc('eth_protocolVersion')).toBe(1)
})

describe('anvil_reorg', () => {
  const hashesFrom = async (first: number) => {
    const heights = Array.from({ length: (await height()) - first + 1 }, (_, i) => first + i)
    const blocks = await Promise.all(
      heights.map((each) => rpc<Json>('eth_getBlockByNumber', `0x${each.toString(16)}`, false)),
    )
    return blocks.map(({ hash }) => hash)
  }

  test('makes blocks with other hashes, also if their times and contents are the same', async () => {
    await rpc('anvil_setBlockTimestampInterval', 5)
    await rpc('anvil_mine', 4)
    const before = [await hashesFrom(1), await time()]
    const filter = await rpc('eth_newBlockFilter')
    await rpc('anvil_reorg', 2, [])
    const [old] = before as [unknown[], number]
    const first = await hashesFrom(1)
    expect(await time()).toBe(before[1])
    expect(first.slice(0, 2)).toEqual(old.slice(0, 2))
    expect(await rpc('eth_getFilterChanges', filter)).toEqual(first.slice(2))
    await rpc('anvil_reorg', 2, [])
    const second = await hashesFrom(1)
    expect(new Set([...old, ...first.slice(2), ...second.slice(2)]).size).toBe(8)
    for (const hash of old.slice(2)) expect(await rpc('eth_getBlockByHash', hash, false)).toBeNull()
  })

  test('removes logs, which their filters report as removed', async () => {
    // PUSH0 PUSH0 LOG0 STOP
    await rpc('anvil_setCode', THIRD, '0x5f5fa000')
    const filter = await rpc('eth_newFilter', {})
    const hash = await send(OWNER)
    const [log] = await rpc<Json[]>('eth_getFilterChanges', filter)
    expect(log).toMatchObject({ transactionHash: hash, removed: false })
    await rpc('anvil_reorg', 1, [])
    expect(await rpc('eth_getFilterChanges', filter)).toEqual([{ ...log, removed: true }])
    expect(await rpc('eth_getTransactionReceipt', hash)).toBeNull()
  })
})

test('with dev.throw-on-revert false, such a transaction is mined with the gas limit of the block', async () => {
  const other = makeHome()
  const args = ['--dev.automine', 'true', '--dev.throw-on-revert', 'false']
  const lenient = await startDaemon({ home: other, arguments: args })
  try {
    const ask = <Result>(method: string, ...params: unknown[]) =>
      call<Result>(lenient.ready.rpc, method, params)
    await ask('evm_setBlockGasLimit', '0x2dc6c0')
    const hash = await ask('eth_sendTransaction', { from: OWNER, data: REVERTS })
    expect(await ask('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0' })
    expect(await ask('eth_getTransactionByHash', hash)).toMatchObject({ gas: '0x2dc6c0' })
    // What is no revert is refused all the same.
    const poor = { from: OWNER, to: THIRD, value: `0x${(10n ** 30n).toString(16)}` }
    await expect(ask('eth_sendTransaction', poor)).rejects.toThrow('insufficient funds')
  } finally {
    await lenient.stop()
    removeHome(other)
  }
}, 60_000)
