import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

const [farHome, home] = [makeHome(), makeHome()]
let far: Daemon
let fork: Daemon

/** A chain whose block hashes are not Ethereum's, and a fork of it. */
beforeAll(async () => {
  far = await startDaemon({ home: farHome, arguments: ['--dev.automine', 'true'] })
  await call(far.ready.rpc, 'anvil_setCode', [TARGET, returning(1)])
  await call(far.ready.rpc, 'anvil_mine', [3])
  fork = await startDaemon({ home, arguments: ['--dev.fork', far.ready.rpc] })
}, 90_000)
afterAll(async () => {
  await fork?.stop()
  await far?.stop()
  for (const each of [farHome, home]) removeHome(each)
})

const rpc = <Result>(method: string, ...params: unknown[]) =>
  call<Result>(fork.ready.rpc, method, params)

const TARGET = '0x00000000000000000000000000000000000000aa'
const WHO = '0x00000000000000000000000000000000000000bb'
/** Code that returns one word. */
const returning = (value: number) => `0x60${value.toString(16).padStart(2, '0')}5f5260205ff3`
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

describe('what is set on a fork of a chain with other rules, before its first own block', () => {
  test.each(['latest', 'pending', '0x3', undefined])('is seen at %s', async (block) => {
    const at = block === undefined ? [] : [block]
    expect(await rpc('eth_blockNumber')).toBe('0x3')
    expect(await rpc('eth_call', { to: TARGET }, ...at)).not.toBe('0x')
    await rpc('anvil_setBalance', WHO, '0x7b')
    await rpc('anvil_setNonce', WHO, '0x5')
    await rpc('anvil_setCode', TARGET, returning(2))
    await rpc('anvil_setStorageAt', TARGET, '0x0', word(9))
    expect(await rpc('eth_getBalance', WHO, ...at)).toBe('0x7b')
    expect(await rpc('eth_getTransactionCount', WHO, ...at)).toBe('0x5')
    expect(await rpc('eth_getCode', TARGET, ...at)).toBe(returning(2))
    expect(await rpc('eth_getStorageAt', TARGET, '0x0', ...at)).toBe(word(9))
    expect(await rpc('eth_call', { to: TARGET }, ...at)).toBe(word(2))
    expect(await rpc('eth_estimateGas', { from: WHO, to: TARGET, value: '0x7b' }, ...at)).toMatch(
      /^0x52/,
    )
  })

  test('leaves earlier blocks and the block itself to the other node', async () => {
    expect(await rpc('eth_getBalance', WHO, '0x2')).toBe('0x0')
    const block = await call(far.ready.rpc, 'eth_getBlockByNumber', ['0x3', false])
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toEqual(block)
  })

  test('the accounts that the fork funds can send at once', async () => {
    const from = devAccount(0).address
    const hash = await rpc('eth_sendTransaction', { from, to: WHO, value: '0x1' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      blockNumber: '0x4',
    })
    expect(await rpc('eth_getBalance', WHO)).toBe('0x7c')
    expect(await rpc('eth_getBalance', WHO, '0x3')).toBe('0x7b')
  })
})
