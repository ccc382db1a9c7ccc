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
