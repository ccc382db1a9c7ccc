import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

type Json = Record<string, unknown>

const home = makeHome()
let daemon: Daemon
let head: number

/** The chain makes its first block and then none for an hour, so transactions stay pending. */
beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: ['--consensus.block-time', '1h'] })
  while (Number(await rpc('eth_blockNumber')) < 1);
  head = Number(await rpc('eth_blockNumber'))
}, 60_000)
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return call<Result>(daemon.ready.rpc, method, params)
}

const target = '0x00000000000000000000000000000000000000ee'

async function send(nonce: number, fields: { value?: bigint; data?: Hex }): Promise<Hex> {
  const raw = await signDynamicFee(0, {
    nonce,
    gas: 100_000n,
    ...(fields.data === undefined ? { to: target, value: fields.value } : { data: fields.data }),
  })
  return rpc('eth_sendRawTransaction', raw)
}

test('the pending tag selects a block and a state on top of the latest, as in geth', async () => {
  const sender = devAccount(0).address
  const first = await send(0, { value: 5n })
  // Deploys code that stores 42 in slot 0 and returns 7.
  const second = await send(1, { data: '0x602a5f556760075f5260205ff35f5260086018f3' })
  const waiting = await send(5, { value: 1n })

  const block = await rpc<Json>('eth_getBlockByNumber', 'pending', false)
  expect(block).toMatchObject({
    number: `0x${(head + 1).toString(16)}`,
    hash: null,
    nonce: null,
    miner: null,
    transactions: [first, second],
  })
  const latest = await rpc<Json>('eth_getBlockByNumber', 'latest', false)
  expect(block.parentHash).toBe(latest.hash)
  expect(Object.keys(block).sort()).toEqual(Object.keys(latest).sort())
  // Blocks of one second share it.
  expect(Number(block.timestamp)).toBeGreaterThanOrEqual(Number(latest.timestamp))
  expect(latest.transactions).toEqual([])

  const full = await rpc<Json>('eth_getBlockByNumber', 'pending', true)
  const [record] = full.transactions as Json[]
  expect(record).toMatchObject({ hash: first, blockNumber: block.number, transactionIndex: '0x0' })
  expect(await rpc('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')).toEqual(record)
  expect(await rpc('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x2')).toBeNull()
  expect(await rpc('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2')
  expect(await rpc('eth_getTransactionByHash', waiting)).toMatchObject({
    blockHash: null,
    blockNumber: null,
    blockTimestamp: null,
  })
  const receipts = await rpc<Json[]>('eth_getBlockReceipts', 'pending')
  expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual([first, second])
  expect(block.gasUsed).toBe(receipts[1]?.cumulativeGasUsed)

  expect(await rpc('eth_getBalance', target, 'pending')).toBe('0x5')
  expect(await rpc('eth_getBalance', target, 'latest')).toBe('0x0')
  expect(await rpc('eth_getTransactionCount', sender, 'pending')).toBe('0x2')
  expect(await rpc('eth_getTransactionCount', sender, 'latest')).toBe('0x0')
  const created = receipts[1]?.contractAddress as Hex
  expect(await rpc('eth_getCode', created, 'pending')).not.toBe('0x')
  expect(await rpc('eth_getCode', created, 'latest')).toBe('0x')
  expect(await rpc('eth_getStorageAt', created, '0x0', 'pending')).toMatch(/2a$/)
  const seven = `0x${'7'.padStart(64, '0')}`
  expect(await rpc('eth_call', { to: created }, 'pending')).toBe(seven)
  expect(await rpc('eth_call', { to: created }, 'latest')).toBe('0x')
  const gas = Number(await rpc('eth_estimateGas', { to: created, from: sender }, 'pending'))
  expect(gas).toBeGreaterThan(21_000)
  // NUMBER in a call on the pending state is the pending height.
  const number = await rpc('eth_call', { data: '0x435f5260205ff3' }, 'pending')
  expect(Number(number)).toBe(head + 1)

  const mine = await rpc<Json>('txpool_contentFrom', sender)
  expect(Object.keys(mine.pending as Json)).toEqual(['0', '1'])
  expect(Object.keys(mine.queued as Json)).toEqual(['5'])
  const content = await rpc<{ pending: Json }>('txpool_content')
  expect(Object.keys(content.pending)).toEqual([sender])
})
