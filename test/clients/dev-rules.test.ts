import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

// Where geth is stricter than anvil, a development chain does as anvil.

const home = makeHome()
let daemon: Daemon

beforeAll(async () => {
  const slots = ['--dev.slots-in-an-epoch', '4']
  daemon = await startDaemon({ home, arguments: ['--dev.automine', 'true', ...slots] })
}, 60_000)
beforeEach(() => rpc('anvil_reset'))
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return call<Result>(daemon.ready.rpc, method, params)
}

const [OWNER, FRIEND] = [0, 1].map((index) => devAccount(index).address.toLowerCase())

interface ShownBlock {
  readonly number: string
  readonly baseFeePerGas: string
  readonly transactions: readonly { readonly value: string }[]
}
const block = (tag: string, full = false) => rpc<ShownBlock>('eth_getBlockByNumber', tag, full)

describe('safe and finalized', () => {
  test('are one and two epochs behind the latest block, and never before the first', async () => {
    const heights = async () => {
      const blocks = await Promise.all(['safe', 'finalized'].map((tag) => block(tag)))
      return blocks.map(({ number }) => Number(number))
    }
    expect(await heights()).toEqual([0, 0])
    await rpc('anvil_mine', 6)
    expect(await heights()).toEqual([2, 0])
    await rpc('anvil_mine', 4)
    expect(await heights()).toEqual([6, 2])
  })

  test('choose the state that is read and the logs that are found', async () => {
    // PUSH0 PUSH0 LOG0 STOP
    await rpc('anvil_setCode', FRIEND, '0x5f5fa000')
    await rpc('eth_sendTransaction', { from: OWNER, to: FRIEND, value: '0x1' })
    const count = (tag: string) => rpc('eth_getTransactionCount', OWNER, tag)
    const logs = async (toBlock: string) =>
      (await rpc<unknown[]>('eth_getLogs', { fromBlock: 'earliest', toBlock })).length
    expect([await count('safe'), await logs('safe'), await logs('latest')]).toEqual(['0x0', 0, 1])
    await rpc('anvil_mine', 4)
    expect([await count('safe'), await logs('safe'), await logs('finalized')]).toEqual([
      '0x1',
      1,
      0,
    ])
  })
})

describe('quantities with leading zeros', () => {
  const code = '0x4360005260206000f3' // returns NUMBER

  test.each([
    ['the members of a call', 'eth_call', [{ to: FRIEND, value: '0x00' }, 'latest'], '0x'],
    ['a block number', 'eth_getBalance', [`0x${'1'.repeat(40)}`, '0x00'], '0x0'],
    [
      'a balance that replaces another',
      'eth_call',
      [
        { from: FRIEND, to: OWNER, value: '0x01' },
        'latest',
        { [`${FRIEND}`]: { balance: '0x0f' } },
      ],
      '0x',
    ],
    [
      'the members of a block that replace others',
      'eth_call',
      [{ to: FRIEND }, 'latest', { [`${FRIEND}`]: { code } }, { number: '0x0a' }],
      `0x${'a'.padStart(64, '0')}`,
    ],
    ['the bounds of a range of logs', 'eth_getLogs', [{ fromBlock: '0x00', toBlock: '0x00' }], []],
  ])('are accepted as %s', async (_, method, params, expected) => {
    expect(await rpc(method, ...params)).toEqual(expected)
  })

  test('are accepted in a transaction, and its data keeps its own', async () => {
    const asked = { from: OWNER, to: FRIEND, value: '0x01', gas: '0x0f000', data: '0x0000' }
    const hash = await rpc('eth_sendTransaction', asked)
    const { gas, value, input } = await rpc<Record<string, string>>(
      'eth_getTransactionByHash',
      hash,
    )
    expect([gas, value, input]).toEqual(['0xf000', '0x1', '0x0000'])
  })

  test('do not shorten an address or a hash, which have a length of their own', async () => {
    await expect(rpc('eth_getBalance', `0x00${OWNER?.slice(2)}`, 'latest')).rejects.toThrow(
      'hex string has length 42, want 40 for common.Address',
    )
    await expect(rpc('eth_getTransactionByHash', `0x00${'1'.repeat(64)}`)).rejects.toThrow(
      'hex string has length 66, want 64 for common.Hash',
    )
  })

  test('are an error if they are invalid hex or too large', async () => {
    await expect(rpc('eth_call', { to: FRIEND, value: '0x0g' })).rejects.toThrow(
      'invalid hex string (value)',
    )
    await expect(
      rpc('eth_call', { to: FRIEND, gas: '0x0', value: `0x0${'f'.repeat(65)}` }),
    ).rejects.toThrow('hex number > 256 bits (value)')
  })
})

test('any higher fee cap replaces a transaction, whatever its tip', async () => {
  await rpc('evm_setAutomine', false)
  const quantity = (wei: bigint) => `0x${wei.toString(16)}`
  const [cap, tip] = [20_000_000_000n, 2_000_000_000n]
  const send = (value: bigint, fees: object) =>
    rpc('eth_sendTransaction', {
      from: OWNER,
      to: FRIEND,
      nonce: '0x0',
      gas: '0x5208',
      value: quantity(value),
      ...fees,
    })
  const dynamic = (maxFee: bigint, maxTip: bigint) => ({
    maxFeePerGas: quantity(maxFee),
    maxPriorityFeePerGas: quantity(maxTip),
  })
  const underpriced = 'replacement transaction underpriced'
  await send(1n, dynamic(cap, tip))
  await expect(send(2n, dynamic(cap, tip))).rejects.toThrow(underpriced)
  await expect(send(3n, dynamic(cap, tip + 1n))).rejects.toThrow(underpriced)
  await send(4n, dynamic(cap + 1n, tip))
  await send(5n, dynamic(cap + 2n, tip - 5n))
  await send(6n, { gasPrice: quantity(cap + 3n) })
  await expect(send(7n, { gasPrice: quantity(cap) })).rejects.toThrow(underpriced)
  await rpc('evm_mine')
  const { transactions } = await block('latest', true)
  expect(transactions.map(({ value }) => value)).toEqual(['0x6'])
})

test('the target of the base fee is half of the gas limit that is set', async () => {
  await rpc('evm_setBlockGasLimit', '0xa410')
  await rpc('anvil_setNextBlockBaseFeePerGas', 2_000_000_000)
  await rpc('eth_sendTransaction', { from: OWNER, to: FRIEND, gas: '0x5208' })
  const simulated = await rpc<ShownBlock[]>('eth_simulateV1', { blockStateCalls: [{}] })
  await rpc('evm_mine')
  const { baseFeePerGas } = await block('latest')
  expect([baseFeePerGas, simulated[0]?.baseFeePerGas]).toEqual(['0x77359400', '0x0'])
  await rpc('evm_mine')
  expect(Number((await block('latest')).baseFeePerGas)).toBeLessThan(2_000_000_000)
})

describe('a request without a JSON content type', () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const post = async (headers: Record<string, string>) => {
    // Bytes, since fetch gives a text a content type.
    const bytes = new TextEncoder().encode(body)
    const response = await fetch(daemon.ready.rpc ?? '', { method: 'POST', body: bytes, headers })
    return [response.status, await response.text()]
  }
  const answer = [200, '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}']
  const refusal = [415, 'invalid content type, only application/json is supported']

  test.each([{}, { 'content-type': 'application/x-www-form-urlencoded' }])(
    'is answered if it comes from a terminal: %j',
    async (headers) => {
      expect(await post(headers)).toEqual(answer)
    },
  )

  test('is refused if it comes from a page, which could send it without a preflight', async () => {
    const type = { 'content-type': 'text/plain' }
    expect(await post({ ...type, origin: 'https://example.org' })).toEqual(refusal)
    expect(await post({ ...type, origin: 'null' })).toEqual(refusal)
    expect(await post({ ...type, 'sec-fetch-site': 'cross-site' })).toEqual(refusal)
  })
})
