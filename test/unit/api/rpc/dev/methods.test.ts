import { gzipSync } from 'node:zlib'
import { getTypesForEIP712Domain } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { METHODS } from '../../../../../host/api/rpc/methods.ts'
import { bigintToBytes, concatBytes } from '../../../../../host/base/bytes.ts'
import { DEV_ACCOUNTS } from '../../../../../host/base/dev-accounts.ts'
import { formatData, parseData } from '../../../../../host/base/hex.ts'
import { impersonatedSender } from '../../../../../host/evm/chain-types/impersonation.ts'
import {
  decodeSigned,
  decodeTransaction,
} from '../../../../../host/evm/chain-types/transaction-codec.ts'
import { decodeAccount, EMPTY_CODE_HASH } from '../../../../../host/evm/state/account.ts'
import { FakeNode, keccak256, transaction } from '../../../../support/chain/fake-chain.ts'
import { wasmRecovery } from '../../../../support/chain/wasm-recovery.ts'
import { devAccount } from '../../../../support/node/dev-wallet.ts'
import { FakeDevChain } from './fake-dev-chain.ts'

const WHO = '0x00000000000000000000000000000000000000aa'
const OWNER = DEV_ACCOUNTS[0]?.address ?? ''
const OTHER = DEV_ACCOUNTS[1]?.address ?? ''
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

let open: FakeNode | undefined

function start() {
  const node = new FakeNode()
  const dev = new FakeDevChain(node.state)
  Object.assign(node.context, { dev })
  open = node
  const ask = async (method: string, ...params: unknown[]) => {
    const answer = await node.answer(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return answer as { result?: unknown; error?: { code: number; message: string } }
  }
  return { node, dev, ask }
}

afterEach(() => open?.close())

describe('the methods of development chains', () => {
  test.each(METHODS.filter(({ dev }) => dev).map(({ name }) => name))(
    'include %s only under --dev',
    async (method) => {
      open = new FakeNode()
      const answer = await open.answer(JSON.stringify({ jsonrpc: '2.0', id: 1, method }))
      expect(answer).toMatchObject({
        error: {
          code: -32601,
          message: `the method ${method} does not exist/is not available: this node is not a development chain (start it with --dev)`,
        },
      })
    },
  )

  test.each([
    ['anvil_mine', [], [{ blocks: 1, interval: undefined }], null],
    ['hardhat_mine', ['0x3', '0x3c'], [{ blocks: 3, interval: 60 }], true],
    ['anvil_mine', [2, '10'], [{ blocks: 2, interval: 10 }], null],
    ['hardhat_mine', [null, null], [{ blocks: 1, interval: 1 }], true],
    ['evm_mine', [], [{ blocks: 1, timestamp: undefined }], '0x0'],
    ['evm_mine', [1_700_000_000], [{ blocks: 1, timestamp: 1_700_000_000 }], '0x0'],
    ['evm_mine', ['0x6553f100'], [{ blocks: 1, timestamp: 1_700_000_000 }], '0x0'],
    ['evm_mine', [{ blocks: 4 }], [{ blocks: 4, timestamp: undefined }], '0x0'],
    ['evm_mine', [{ timestamp: 5, blocks: 2 }], [{ blocks: 2, timestamp: 5 }], '0x0'],
  ])('include %s %j, which mines %j and returns %j', async (method, params, mined, result) => {
    const { dev, ask } = start()
    expect(await ask(method, ...params)).toMatchObject({ result })
    const signal = expect.any(AbortSignal)
    expect(dev.done).toEqual([['mine', ...mined.map((request) => ({ ...request, signal }))]])
  })

  test.each([
    ['evm_setIntervalMining', [5], 5000, true],
    ['evm_setIntervalMining', [99], 99_000, true],
    ['evm_setIntervalMining', [100], 100, true],
    ['evm_setIntervalMining', [0], 0, true],
    ['evm_setIntervalMining', [[3000, 6000]], [3000, 6000], true],
    ['anvil_setIntervalMining', [5], 5000, null],
    ['anvil_setIntervalMining', [500], 500_000, null],
  ])(
    'include %s %j, which sets an interval of %j ms',
    async (method, params, intervalMs, result) => {
      const { dev, ask } = start()
      expect(await ask(method, ...params)).toMatchObject({ result })
      expect(dev.intervalMs).toEqual(intervalMs)
      const seconds = typeof intervalMs === 'number' ? intervalMs / 1000 || null : 3
      expect((await ask('anvil_getIntervalMining')).result).toBe(seconds)
    },
  )

  test.each([
    ['evm_increaseTime', [100], ['increase', 100], 100],
    ['anvil_increaseTime', ['0x64'], ['increase', 100], 100],
    ['evm_setTime', [3000], ['set', 3000], 2000],
    ['evm_setTime', [1_795_700_000_000], ['set', 1_795_700_000], 1_795_699_000],
    ['evm_setTime', [10], ['set', 10], 0],
    ['evm_setNextBlockTimestamp', ['0x6553f100'], ['setNext', 1_700_000_000], null],
    ['anvil_setBlockTimestampInterval', [7], ['setBlockInterval', 7], null],
    ['hardhat_setBlockTimestampInterval', [7000], ['setBlockInterval', 7], true],
    ['anvil_removeBlockTimestampInterval', [], ['removeBlockInterval', 0], true],
    ['evm_snapshot', [], ['snapshot'], '0x1a'],
    ['evm_revert', ['0x1a'], ['revert', 26n], true],
    ['anvil_revert', [27], ['revert', 27n], false],
    ['anvil_rollback', [0], ['rollback', 0], null],
    ['hardhat_reset', [], ['reset', undefined], true],
    ['hardhat_dropTransaction', [word(1)], ['drop', parseData(word(1))], false],
    ['anvil_dropTransaction', [word(1)], ['drop', parseData(word(1))], null],
    ['anvil_dropAllTransactions', [], ['dropAll'], null],
    ['anvil_removePoolTransactions', [WHO], ['dropOf', parseData(WHO)], null],
  ])('include %s %j, which has its documented effect', async (method, params, done, result) => {
    const { dev, ask } = start()
    expect(await ask(method, ...params)).toMatchObject({ result })
    expect(dev.done).toEqual([done])
  })

  test('set the overrides of later blocks', async () => {
    const { dev, ask } = start()
    for (const [method, param] of [
      ['hardhat_setNextBlockBaseFeePerGas', '0x7'],
      ['hardhat_setPrevRandao', word(9)],
      ['anvil_setCoinbase', WHO],
      ['evm_setBlockGasLimit', '0x1c9c380'],
      ['anvil_setMinGasPrice', 3],
    ] as const) {
      expect(await ask(method, param)).not.toHaveProperty('error')
    }
    expect(dev.next).toEqual({
      baseFee: 7n,
      prevRandao: parseData(word(9)),
      coinbase: parseData(WHO),
      gasLimit: 30_000_000n,
      minGasPrice: 3n,
    })
    expect((await ask('anvil_nodeInfo')).result).toMatchObject({
      environment: { baseFee: '0x7', gasLimit: '0x1c9c380' },
    })
  })

  test('suggest prices that the pool accepts', async () => {
    const { ask } = start()
    await ask('hardhat_setMinGasPrice', 70_000_000_000)
    expect((await ask('eth_maxPriorityFeePerGas')).result).toBe('0x104c533c00')
    expect((await ask('eth_gasPrice')).result).toBe('0x104c533c00')
  })

  test.each([
    ['evm_increaseTime', [-1], 'want a non-negative integer, got -1'],
    ['evm_increaseTime', [1.5], 'want a non-negative integer, got 1.5'],
    ['hardhat_mine', [2_000_000], '2000000 blocks exceed the maximum of one call'],
    ['evm_setBlockGasLimit', [0], 'block gas limit 0 is out of range'],
    ['anvil_setBalance', [WHO, 1e18], '1000000000000000000 is imprecise as a JSON number'],
    ['anvil_setNonce', [WHO, '0xffffffffffffffff'], 'nonce 18446744073709551615 is above'],
    ['anvil_setBalance', [WHO, `0x1${'0'.repeat(64)}`], 'hex number > 256 bits'],
    [
      'anvil_rollback',
      [5],
      'Rollback depth must not exceed current chain height: current height 0, depth 5',
    ],
    [
      'anvil_reorg',
      [5, []],
      'Reorg depth must not exceed current chain height: current height 0, depth 5',
    ],
    [
      'hardhat_setBlockTimestampInterval',
      [1500],
      'an interval of 1500 ms is not a whole number of',
    ],
    ['evm_setIntervalMining', [[5, 3]], 'want [least, most] in milliseconds'],
    [
      'hardhat_reset',
      [{ forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }],
      'this node is not a fork',
    ],
    [
      'anvil_reset',
      [{ forking: { blockNumber: 5 } }],
      'Forking not enabled and RPC URL not provided',
    ],
    ['eth_signTypedData_v4', [OWNER, {}], 'typed data: '],
    ['eth_signTypedData_v4', [OWNER, '{'], 'typed data is not JSON'],
  ])('refuse %s %j: %s', async (method, params, text) => {
    const { dev, ask } = start()
    const { error } = await ask(method, ...params)
    expect(error?.code).toBe(-32602)
    expect(error?.message).toContain(text)
    expect([dev.done, dev.amended]).toEqual([[], []])
  })
})

describe('an account that is changed by RPC', () => {
  const amendedRow = ({ amended }: FakeDevChain) => {
    expect(amended).toHaveLength(1)
    const { accounts, storage, codes } = amended[0] ?? never()
    return { accounts, storage, codes }
  }
  const recordOf = (rows: Uint8Array) => decodeAccount(rows.subarray(20))

  test.each([
    ['anvil_setBalance', ['0x64'], { balance: 100n }, null],
    ['evm_setAccountBalance', ['0x64'], { balance: 100n }, true],
    ['hardhat_addBalance', ['100'], { balance: 105n }, true],
    ['evm_setAccountNonce', [9], { nonce: 9n }, true],
    ['anvil_setCode', ['0x6000'], { codeHash: keccak256(parseData('0x6000')) }, null],
    ['hardhat_setCode', ['0x'], { codeHash: EMPTY_CODE_HASH }, true],
  ])('keeps the fields that %s %j does not name', async (method, params, change, result) => {
    const { node, dev, ask } = start()
    const before = { nonce: 2n, balance: 5n, codeHash: keccak256(parseData('0xfe')) }
    node.state.setAccount(parseData(WHO), 2n, 5n, parseData('0xfe'))
    expect(await ask(method, WHO, ...params)).toMatchObject({ result })
    const { accounts, codes } = amendedRow(dev)
    expect(formatData(accounts.subarray(0, 20))).toBe(WHO)
    expect(recordOf(accounts)).toEqual({ ...before, ...change })
    expect(codes.map(({ code }) => formatData(code))).toEqual(
      method === 'anvil_setCode' ? ['0x6000'] : [],
    )
  })

  test('is deleted if it becomes empty (EIP-161)', async () => {
    const { dev, ask } = start()
    await ask('anvil_setBalance', WHO, '0x0')
    expect(amendedRow(dev).accounts).toEqual(concatBytes([parseData(WHO), new Uint8Array(72)]))
  })

  test.each([
    ['anvil_setStorageAt', '0x1', word(7)],
    ['hardhat_setStorageAt', word(1), word(7)],
    ['evm_setAccountStorageAt', '0x01', '0x7'],
  ])('gets a slot by %s %s', async (method, slot, value) => {
    const { dev, ask } = start()
    expect(await ask(method, WHO, slot, value)).toMatchObject({ result: true })
    const { accounts, storage } = amendedRow(dev)
    expect(accounts).toHaveLength(0)
    expect(storage).toEqual(
      concatBytes([parseData(WHO), bigintToBytes(1n, 32), bigintToBytes(7n, 32)]),
    )
  })
})

describe('the state dump', () => {
  test.each([
    ['anvil_dumpState', 'anvil_loadState'],
    ['hardhat_dumpState', 'hardhat_loadState'],
  ])('of %s can be loaded by %s', async (dump, load) => {
    const { node, dev, ask } = start()
    node.state.setAccount(parseData(WHO), 2n, 5n, parseData('0xfe'))
    Object.assign(dev, { written: { accounts: () => [parseData(WHO)], slots: () => [] } })
    const { result } = await ask(dump, true)
    expect(result).toMatch(/^0x1f8b/)
    expect((await ask(load, result)).result).toBe(true)
    expect(dev.amended).toHaveLength(1)
    const { accounts = new Uint8Array(), codes } = dev.amended[0] ?? {}
    expect(formatData(accounts.subarray(0, 20))).toBe(WHO)
    expect(decodeAccount(accounts.subarray(20))).toMatchObject({ nonce: 2n, balance: 5n })
    expect(codes?.map(({ code }) => formatData(code))).toEqual(['0xfe'])
  })

  test('is refused if it is invalid', async () => {
    const { ask } = start()
    const { error } = await ask('anvil_loadState', '0x00')
    expect(error).toMatchObject({ code: -32602 })
    expect(error?.message).toContain('Failed to decode state dump')
  })

  test('is refused before decompression if it expands to more than a client may send', async () => {
    const { dev, ask } = start()
    const bytes = (32 << 20) + 1
    const bomb = gzipSync(Buffer.alloc(bytes, ' '))
    const { error } = await ask('anvil_loadState', formatData(bomb))
    expect(error).toEqual({
      code: -32602,
      message: `Failed to decode state dump: it expands to ${bytes} bytes, but at most ${bytes - 1} are accepted from a client`,
    })
    expect(dev.amended).toEqual([])
  })
})

test('the log names transactions unless logging is disabled', async () => {
  const { node, ask } = start()
  const raw = formatData(transaction().raw)
  expect((await ask('hardhat_setLoggingEnabled', false)).result).toBe(true)
  await ask('eth_sendRawTransaction', raw)
  expect(node.submitted).toEqual([])
  expect((await ask('anvil_setLoggingEnabled', true)).result).toBeNull()
  await ask('eth_sendRawTransaction', raw)
  expect(node.submitted).toHaveLength(1)
})

describe('an unlocked account', () => {
  const asked = { to: OTHER, value: '0x1', gas: '0x5208', nonce: '0x7' }

  test('is listed together with the impersonated ones', async () => {
    const { ask } = start()
    const own = DEV_ACCOUNTS.map(({ address }) => address.toLowerCase())
    expect((await ask('eth_accounts')).result).toEqual(own)
    await ask('hardhat_impersonateAccount', WHO)
    await ask('hardhat_impersonateAccount', OWNER)
    expect((await ask('eth_requestAccounts')).result).toEqual([...own, WHO])
    expect((await ask('hardhat_stopImpersonatingAccount', WHO)).result).toBe(true)
    expect((await ask('hardhat_stopImpersonatingAccount', WHO)).result).toBe(false)
    expect((await ask('eth_accounts')).result).toEqual(own)
  })

  test.each([
    [{ from: OWNER }, OWNER, 2],
    [{}, OWNER, 2],
    [{ from: OTHER, gasPrice: '0x174876e800' }, OTHER, 0],
    [{ from: OTHER, type: '0x0' }, OTHER, 0],
    [{ from: OTHER, accessList: [], gasPrice: '0x174876e800' }, OTHER, 1],
    [{ from: OTHER, maxFeePerGas: '0x174876e800', type: '0x2' }, OTHER, 2],
  ])('signs and sends the request %j', async (fields, from, type) => {
    const { node, ask } = start()
    const { result } = await ask('eth_sendTransaction', { ...asked, ...fields })
    const [raw = new Uint8Array()] = node.pool.added
    const sent = decodeTransaction(raw, wasmRecovery)
    expect(result).toBe(formatData(keccak256(raw)))
    expect(node.submitted).toEqual([result])
    expect(sent).toMatchObject({ type, chainId: 1329n, nonce: 7n, value: 1n, gas: 21_000n })
    expect(formatData(sent.from)).toBe(from.toLowerCase())
    expect((await ask('eth_signTransaction', { ...asked, ...fields })).result).toBe(formatData(raw))
  })

  test('sends without a signature if it is only impersonated', async () => {
    const { node, ask } = start()
    await ask('anvil_impersonateAccount', WHO)
    const { result } = await ask('eth_sendTransaction', { ...asked, from: WHO })
    const [raw = new Uint8Array()] = node.pool.added
    expect(result).toBe(formatData(keccak256(raw)))
    const sender = impersonatedSender(decodeSigned(raw, keccak256))
    expect(sender && formatData(sender)).toBe(WHO)
    await ask('eth_sendUnsignedTransaction', { ...asked, from: OTHER })
    const forged = impersonatedSender(decodeSigned(node.pool.added[1] ?? raw, keccak256))
    expect(forged && formatData(forged)).toBe(OTHER.toLowerCase())
  })

  test.each([
    ['eth_sendTransaction', [{ ...asked, from: WHO }]],
    ['eth_signTransaction', [{ ...asked, from: WHO }]],
    ['eth_sign', [WHO, '0x00']],
    ['personal_sign', ['0x00', WHO]],
    ['eth_signTypedData_v4', [WHO, {}]],
  ])('is needed for %s', async (method, params) => {
    const { node, ask } = start()
    const { error } = await ask(method, ...params)
    expect(error).toEqual({
      code: -32000,
      message: `unknown account: the node has no key of 0x00000000000000000000000000000000000000AA, and does not impersonate it`,
    })
    expect(node.pool.added).toEqual([])
  })

  test('signs messages and typed data as wallets do', async () => {
    const { ask } = start()
    const message = await devAccount(0).signMessage({ message: { raw: '0xdeadbeef' } })
    expect((await ask('eth_sign', OWNER, '0xdeadbeef')).result).toBe(message)
    expect((await ask('personal_sign', '0xdeadbeef', OWNER)).result).toBe(message)
    const domain = { name: 'Shop', version: '1', chainId: 31337 }
    const lines = {
      Line: [
        { name: 'what', type: 'string' },
        { name: 'count', type: 'uint8[]' },
      ],
      Order: [{ name: 'lines', type: 'Line[]' }],
    } as const
    const data = {
      domain,
      types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...lines },
      primaryType: 'Order',
      message: { lines: [{ what: 'tea', count: [1, 2] }] },
    } as const
    const signature = await devAccount(0).signTypedData({ ...data, types: lines })
    for (const name of ['eth_signTypedData', 'eth_signTypedData_v3', 'eth_signTypedData_v4']) {
      expect((await ask(name, OWNER, data)).result).toBe(signature)
      expect((await ask(name, OWNER, JSON.stringify(data))).result).toBe(signature)
    }
  })

  test('hardhat_dropTransaction reports that a transaction is already mined', async () => {
    const { node, ask } = start()
    const mined = transaction()
    node.addBlock([{ transaction: mined }])
    const hash = formatData(mined.hash)
    expect(await ask('hardhat_dropTransaction', hash)).toMatchObject({
      error: {
        code: -32000,
        message: `Transaction ${hash} cannot be dropped because it's already mined`,
      },
    })
  })
})

function never(): never {
  throw new Error('nothing was amended')
}
