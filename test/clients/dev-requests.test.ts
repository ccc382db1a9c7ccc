import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatData, parseData } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

// Methods of Erigon and reth that combine what others return, on a node.

const home = makeHome()
let daemon: Daemon

/** Adds its input to slot 0, and returns the sum. */
const COUNTER = '0x00000000000000000000000000000000000000aa'
const CODE = '0x5f355f5401805f555f5260205ff3'
/** Returns the number of its block. */
const CLOCK = '0x00000000000000000000000000000000000000bb'
const CLOCK_CODE = '0x435f5260205ff3'
const OWNER = devAccount(0).address.toLowerCase()

beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: ['--dev.automine', 'true'] })
  await rpc('anvil_setCode', COUNTER, CODE)
  await rpc('anvil_setCode', CLOCK, CLOCK_CODE)
  for (const value of [1, 2]) {
    await rpc('eth_sendTransaction', { from: OWNER, to: COUNTER, data: word(value) })
  }
}, 60_000)
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return call<Result>(daemon.ready.rpc, method, params)
}

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const add = (value: number) => ({ from: OWNER, to: COUNTER, data: word(value) })

test('calls of bundles build upon each other and change nothing', async () => {
  const latest = Number(await rpc<string>('eth_blockNumber'))
  const bundles = [
    { transactions: [add(10), add(20), { to: CLOCK }] },
    { transactions: [add(1), { to: CLOCK }], blockOverride: { blockNumber: '0x1000' } },
    { transactions: [{ to: CLOCK }, { data: '0xfe' }] },
  ]
  expect(await rpc('eth_callMany', bundles)).toEqual([
    [{ value: word(13) }, { value: word(33) }, { value: word(latest) }],
    [{ value: word(34) }, { value: word(0x1000) }],
    [{ value: word(0x1001) }, { error: 'invalid opcode: INVALID' }],
  ])
  const before = { blockNumber: 'latest', transactionIndex: 0 }
  expect(await rpc('eth_callMany', [{ transactions: [add(0)] }], before)).toEqual([
    [{ value: word(1) }],
  ])
  const overrides = { [COUNTER]: { stateDiff: { [word(0)]: word(100) } } }
  expect(await rpc('eth_callMany', [{ transactions: [add(5)] }], null, overrides)).toEqual([
    [{ value: word(105) }],
  ])
  expect(await rpc('eth_call', add(0))).toBe(word(3))
})

test('the trace of a bundle of one call is that of the call', async () => {
  for (const options of [{ tracer: 'callTracer' }, { tracer: 'prestateTracer' }, {}]) {
    const [[traced] = []] = await rpc<unknown[][]>(
      'debug_traceCallMany',
      [{ transactions: [add(7)] }],
      null,
      options,
    )
    expect(traced).toEqual(await rpc('debug_traceCall', add(7), 'latest', options))
  }
})

test('several accounts are proven as each alone', async () => {
  const targets = [
    [COUNTER, [word(0), word(1)]],
    [OWNER, []],
  ] as const
  const alone = await Promise.all(
    targets.map(([address, slots]) => rpc('eth_getProof', address, slots)),
  )
  expect(await rpc('eth_getMultiProof', targets)).toEqual(alone)
  expect(await rpc('eth_getMultiProof', [])).toEqual([])
})

test('code is found by its hash, and an account by its address', async () => {
  const hash = formatData(keccak_256(parseData(CODE)))
  expect(await rpc('debug_codeByHash', hash)).toBe(CODE)
  expect(await rpc('debug_codeByHash', word(1))).toBeNull()
  expect(await rpc('eth_getAccountInfo', COUNTER)).toEqual({
    balance: '0x0',
    nonce: '0x0',
    code: CODE,
  })
})

test('transactions are found by sender and nonce', async () => {
  const nonce = Number(await rpc<string>('eth_getTransactionCount', OWNER, 'latest')) - 1
  const found = await rpc<{ hash: string }>('eth_getTransactionBySenderAndNonce', OWNER, nonce)
  expect(found).toMatchObject({ from: OWNER, input: word(2) })
  expect(await rpc('eth_getTransactionByHash', found.hash)).toEqual(found)
  expect(await rpc('eth_getTransactionBySenderAndNonce', OWNER, nonce + 1)).toBeNull()
})

test('the rules of the chain have the form of a genesis of geth', async () => {
  expect(await rpc('debug_chainConfig')).toMatchObject({
    chainId: Number(await rpc('eth_chainId')),
    homesteadBlock: 0,
    pragueTime: 0,
    terminalTotalDifficulty: 0,
  })
  expect(await rpc('debug_getAccessibleState', '0x0', 'latest')).toBe(0)
  const latest = Number(await rpc<string>('eth_blockNumber'))
  expect(await rpc('debug_getAccessibleState', 'latest', '0x0')).toBe(latest)
})
