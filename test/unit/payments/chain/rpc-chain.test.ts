import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { neverAborted } from '../../../../host/base/signal.ts'
import { openRpcChain, type RpcChainOptions } from '../../../../host/payments/chain/rpc-chain.ts'
import {
  type FakeBehaviour,
  type FakeCall,
  FakeRefusal,
  startFakeNode,
} from '../../../support/rpc/fake-node.ts'
import { until } from '../../../support/until.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const BLOCK = `0x${'B1'.repeat(32)}`
const TOKEN = `0x${'Ab'.repeat(20)}`
const ACCOUNT = `0x${'12'.repeat(20)}` as const

const RECEIPT = {
  status: '0x1',
  blockNumber: '0x10',
  blockHash: BLOCK,
  logs: [{ address: TOKEN, topics: [`0x${'DD'.repeat(32)}`], data: '0xAB', logIndex: '0x0' }],
}

/** Starts a node whose answers a test changes by method. */
async function startChain(
  changes: Readonly<Record<string, (call: FakeCall) => unknown>> = {},
  options: RpcChainOptions = {},
  raw?: FakeBehaviour['raw'],
) {
  const now = BigInt(Math.floor(Date.now() / 1_000))
  const block = { number: '0x10', hash: BLOCK, timestamp: `0x${(now - 5n).toString(16)}` }
  const answers: Record<string, (call: FakeCall) => unknown> = {
    eth_chainId: () => '0x531',
    eth_blockNumber: () => '0x10',
    eth_getBlockByNumber: () => ({ ...block, baseFeePerGas: '0x5' }),
    eth_getBlockByHash: () => block,
    eth_getTransactionReceipt: () => RECEIPT,
    eth_getTransactionByHash: () => ({ input: '0xA9' }),
    ...changes,
  }
  const answer = (call: FakeCall) =>
    answers[call.method]?.(call) ?? (answers[call.method] ? null : new FakeRefusal(-32601, 'none'))
  const node = await startFakeNode({ answer, ...(raw === undefined ? {} : { raw }) })
  onTestFinished(() => node.stop())
  const chain = await openRpcChain(node.url, { pollMs: 1, ...options })
  /** Methods called since the chain was opened, by request. */
  const requests = () => node.requests.slice(2)
  return { node, chain, requests, now, answers }
}

test('a receipt has lower-case hex, the time of its block and the data of its transaction', async () => {
  const { chain, now } = await startChain()
  expect(chain.chainId).toBe(1_329n)
  expect(await chain.receipt(HASH)).toEqual({
    succeeded: true,
    height: 16n,
    blockTime: now - 5n,
    logs: [{ address: TOKEN.toLowerCase(), topics: [`0x${'dd'.repeat(32)}`], data: '0xab' }],
    input: '0xa9',
  })
})

test('calls of one event loop turn share a request, and the time of a block is requested once', async () => {
  const { chain, requests } = await startChain()
  await Promise.all([chain.receipt(HASH), chain.receipt(HASH), chain.height()])
  await chain.receipt(HASH)
  const pair = ['eth_getTransactionReceipt', 'eth_getTransactionByHash']
  expect(requests()).toEqual([
    [...pair, ...pair, 'eth_blockNumber'],
    ['eth_getBlockByHash', 'eth_getBlockByHash'],
    pair,
  ])
})

test('a batch has at most 100 calls, and at most four requests run at once', async () => {
  const { chain, requests } = await startChain()
  await Promise.all(Array.from({ length: 600 }, () => chain.balance(ACCOUNT).catch(() => 0n)))
  expect(requests().map(({ length }) => length)).toEqual([100, 100, 100, 100, 100, 100])
})

test('a node that accepts only smaller batches gets smaller ones, and no call is lost', async () => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } }
  const { chain, requests } = await startChain(
    { eth_getBalance: () => '0xf' },
    {},
    (response, calls) => {
      if (calls.length > 20) response.end(JSON.stringify(refusal))
      return calls.length > 20
    },
  )
  const balances = Array.from({ length: 100 }, () => chain.balance(ACCOUNT))
  expect(await Promise.all(balances)).toEqual(Array(100).fill(15n))
  // The smaller size is cached.
  const before = requests().length
  await Promise.all(Array.from({ length: 24 }, () => chain.balance(ACCOUNT)))
  expect(
    requests()
      .slice(before)
      .map(({ length }) => length),
  ).toEqual([13, 11])
})

test('a node that refuses a single call is reported with its message', async () => {
  let isBroken = false
  const { chain } = await startChain({}, {}, (response) => {
    if (isBroken) response.writeHead(429).end('slow down')
    return isBroken
  })
  isBroken = true
  await expect(Promise.all([chain.height(), chain.balance(ACCOUNT)])).rejects.toThrow('HTTP 429')
})

test.each([
  ['eth_getTransactionReceipt', 'a transaction that no block has'],
  ['eth_getTransactionByHash', 'one that the node has dropped meanwhile'],
  ['eth_getBlockByHash', 'one whose block is no more'],
])('if %s is null (%s), there is no receipt', async (method) => {
  const { chain } = await startChain({ [method]: () => null })
  expect(await chain.receipt(HASH)).toBeUndefined()
})

test('a transaction that reverted is reported as reverted', async () => {
  const { chain } = await startChain({
    eth_getTransactionReceipt: () => ({ ...RECEIPT, status: '0x0' }),
  })
  expect(await chain.receipt(HASH)).toMatchObject({ succeeded: false })
})

test.each([
  [1, '0x10', true],
  [2, '0x10', false],
  [2, '0x11', true],
  [12, '0x1a', false],
  [12, '0x1b', true],
])(
  'with %d confirmations and at height %s the transfer is %s',
  async (confirmations, height, counts) => {
    const { chain } = await startChain({ eth_blockNumber: () => height }, { confirmations })
    expect((await chain.receipt(HASH)) !== undefined).toBe(counts)
  },
)

test.each([
  [1, '0x10', 'latest'],
  [2, '0x10', '0xf'],
  [12, '0x10', '0x5'],
  [12, '0x3', '0x0'],
])(
  'with %d confirmations and at height %s the nonces of an account are those of block %s',
  async (confirmations, height, block) => {
    const asked: unknown[] = []
    const { chain } = await startChain(
      {
        eth_blockNumber: () => height,
        eth_getTransactionCount: ({ params }) => {
          asked.push(params)
          return '0x7'
        },
      },
      { confirmations },
    )
    expect(await chain.nonce(ACCOUNT, 'latest')).toBe(7n)
    expect(await chain.nonce(ACCOUNT, 'pending')).toBe(7n)
    expect(asked).toEqual([
      [ACCOUNT, block],
      [ACCOUNT, 'pending'],
    ])
  },
)

test('a new block ends the wait of all requests, which ask about it once', async () => {
  let height = 16
  const { chain, requests } = await startChain({
    eth_blockNumber: () => `0x${height.toString(16)}`,
  })
  let ended = 0
  const waiting = Array.from({ length: 50 }, () =>
    chain.nextBlock(neverAborted()).then(() => {
      ended++
    }),
  )
  await until(() => requests().length >= 5)
  expect(ended).toBe(0)
  expect(new Set(requests().map(({ length }) => length))).toEqual(new Set([1]))
  height++
  await Promise.all(waiting)
})

test('no request waits for a block longer than its limit', async () => {
  const { chain, requests } = await startChain()
  const stop = new AbortController()
  const waiting = chain.nextBlock(stop.signal)
  await until(() => requests().length >= 2)
  stop.abort()
  await waiting
  const asked = requests().length
  await delay(20)
  expect(requests().length).toBe(asked)
})

test('the time is that of the blocks if they are ahead of the clock of the machine', async () => {
  const ahead = BigInt(Math.floor(Date.now() / 1_000)) + 86_400n
  const { chain } = await startChain({
    eth_getBlockByNumber: () => ({ number: '0x10', timestamp: `0x${ahead.toString(16)}` }),
  })
  expect(chain.now() - ahead).toBeLessThan(60n)
  expect(chain.now()).toBeGreaterThanOrEqual(ahead)
})

test('an idle chain does not stop the time', async () => {
  const { chain, now } = await startChain({
    eth_getBlockByNumber: () => ({ number: '0x10', timestamp: '0x1' }),
  })
  expect(chain.now()).toBeGreaterThanOrEqual(now)
})

test('amounts, calls and logs are requested in the format of JSON-RPC', async () => {
  const calls: FakeCall[] = []
  const note =
    (result: unknown): ((call: FakeCall) => unknown) =>
    (call) => {
      calls.push(call)
      return result
    }
  const { chain } = await startChain({
    eth_getBalance: note('0xf'),
    eth_getTransactionCount: note('0x7'),
    eth_maxPriorityFeePerGas: () => '0x2',
    eth_call: note('0xAA'),
    eth_sendRawTransaction: note(HASH.toUpperCase().replace('X', 'x')),
    eth_getLogs: note([{ ...RECEIPT.logs[0], transactionHash: HASH, blockNumber: '0x10' }]),
  })
  expect(await chain.balance(ACCOUNT)).toBe(15n)
  expect(await chain.nonce(ACCOUNT, 'latest')).toBe(7n)
  expect(await chain.nonce(ACCOUNT, 'pending')).toBe(7n)
  expect(await chain.maxFeePerGas()).toBe(12n)
  expect(await chain.call(ACCOUNT, '0x01', { from: ACCOUNT, gas: 50_000n })).toBe('0xaa')
  expect(await chain.call(ACCOUNT, '0x01')).toBe('0xaa')
  expect(await chain.send(Uint8Array.of(2, 3))).toBe(HASH)
  const query = { address: ACCOUNT, topics: [HASH, null], fromHeight: 16n } as const
  expect(await chain.logs(query)).toMatchObject([{ txHash: HASH, height: 16n, data: '0xab' }])
  expect(calls.map(({ params }) => params)).toEqual([
    [ACCOUNT, 'latest'],
    [ACCOUNT, 'latest'],
    [ACCOUNT, 'pending'],
    [{ to: ACCOUNT, data: '0x01', from: ACCOUNT, gas: '0xc350' }, 'latest'],
    [{ to: ACCOUNT, data: '0x01' }, 'latest'],
    ['0x0203'],
    [{ address: ACCOUNT, topics: [HASH, null], fromBlock: '0x10', toBlock: 'latest' }],
  ])
})

test.each([
  [3, 'execution reverted', 'EXECUTION_REVERTED'],
  [-32000, 'out of gas', 'EXECUTION_FAILED'],
])('a call that fails with %d "%s" is reported as %s', async (code, message, expected) => {
  const { chain } = await startChain({ eth_call: () => new FakeRefusal(code, message) })
  await expect(chain.call(ACCOUNT, '0x')).rejects.toMatchObject({ code: expected })
})

test("a refused transaction is reported with the node's message", async () => {
  const { chain } = await startChain({
    eth_sendRawTransaction: () => new FakeRefusal(-32000, 'nonce too low'),
  })
  await expect(chain.send(Uint8Array.of(2))).rejects.toMatchObject({
    code: 'TRANSACTION_REJECTED',
    message: expect.stringContaining('nonce too low'),
  })
})

test.each<[string, (response: ServerResponse) => void]>([
  ['is no JSON', (response) => response.end('<html>')],
  ['is null', (response) => response.end('null')],
  ['is an empty batch', (response) => response.end('[]')],
  ['is for another call', (response) => response.end('{"jsonrpc":"2.0","id":99,"result":"0x1"}')],
  ['does not come', (response) => response.destroy()],
])('a node that answers %s causes an error that does not reveal its address', async (_, answer) => {
  let isBroken = false
  const { chain, node } = await startChain({}, {}, (response) => {
    if (isBroken) answer(response)
    return isBroken
  })
  isBroken = true
  const failure = await chain.height().catch((error: Error) => error)
  expect(failure).toMatchObject({ code: 'NODE_UNREACHABLE' })
  expect((failure as Error).message).toContain(new URL(node.url).host)
  isBroken = false
  expect(await chain.height()).toBe(16n)
})

test("no error contains a key in the path of the node's URL", async () => {
  const failure = await openRpcChain('http://127.0.0.1:1/v2/secret?key=secret').catch(
    (error: Error) => error,
  )
  expect(`${failure}`).toContain('no node answers at 127.0.0.1:1')
  expect(`${failure}`).not.toContain('secret')
})
