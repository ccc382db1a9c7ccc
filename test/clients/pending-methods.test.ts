import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BLOCK, BLOCK_NUMBER } from '../../host/api/rpc/argument/block-argument.ts'
import { METHODS } from '../../host/api/rpc/methods.ts'
import { formatData, type Hex, parseData } from '../../host/base/hex.ts'
import { decodeRlp } from '../../host/base/rlp.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'

// Each method that takes a block is asked for `pending`, and again for the number of the block once it is in the
// chain. Both answers must be the same, except for what only a finished block has.

const OWNER = devAccount(0).address.toLowerCase()
const FRIEND = '0x00000000000000000000000000000000000000ee'
/** Its code stores 42 in slot 0 when it is created, emits a log when it is called, and returns 7. */
const CREATION = '0x602a5f556b60075f5260205fa060205ff35f52600c6014f3'
const CREATED = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'
/** Hash of the code of the created contract. */
const CODE_HASH = formatData(keccak_256(parseData('0x60075f5260205fa060205ff3')))
/** Returns NUMBER. */
const NUMBER_CODE = '0x435f5260205ff3'

type Json = Record<string, unknown>

/** The parameters of each method, given its block. */
type BlockCalls = Readonly<Record<string, (block: unknown) => readonly unknown[]>>

let raw: Hex
const LATER_CALL = { from: OWNER, to: CREATED, gas: '0x186a0' }

/** Methods whose answer for the pending block is that for the block, once it is in the chain. */
const SAME: BlockCalls = {
  debug_codeByHash: (block) => [CODE_HASH, block],
  debug_getRawReceipts: (block) => [block],
  debug_traceBlockByNumber: (block) => [block, { tracer: 'callTracer' }],
  debug_traceCall: (block) => [LATER_CALL, block, { tracer: 'prestateTracer' }],
  erigon_getHeaderByNumber: (block) => [block],
  eth_call: (block) => [{ data: NUMBER_CODE }, block],
  eth_createAccessList: (block) => [LATER_CALL, block],
  eth_estimateGas: (block) => [{ from: OWNER, to: CREATED }, block],
  eth_feeHistory: (block) => ['0x2', block, [50]],
  eth_getAccount: (block) => [CREATED, block],
  eth_getAccountInfo: (block) => [OWNER, block],
  eth_getBalance: (block) => [FRIEND, block],
  eth_getBlockByNumber: (block) => [block, true],
  eth_getBlockReceipts: (block) => [block],
  eth_getBlockTransactionCountByNumber: (block) => [block],
  eth_getCode: (block) => [CREATED, block],
  eth_getHeaderByNumber: (block) => [block],
  eth_getMultiProof: (block) => [[[CREATED, ['0x0']], [OWNER]], block],
  eth_getProof: (block) => [CREATED, ['0x0', '0x1'], block],
  eth_getRawTransactionByBlockNumberAndIndex: (block) => [block, '0x1'],
  eth_getStorageAt: (block) => [CREATED, '0x0', block],
  eth_getStorageValues: (block) => [{ [CREATED]: ['0x0'] }, block],
  eth_getTransactionByBlockNumberAndIndex: (block) => [block, '0x1'],
  eth_getTransactionCount: (block) => [OWNER, block],
  eth_getUncleByBlockNumberAndIndex: (block) => [block, '0x0'],
  eth_getUncleCountByBlockNumber: (block) => [block],
  eth_simulateV1: (block) => [{ blockStateCalls: [{ calls: [LATER_CALL] }] }, block],
  ots_getBlockDetails: (block) => [block],
  ots_getBlockTransactions: (block) => [block, 0, 10],
  ots_hasCode: (block) => [CREATED, block],
  trace_block: (block) => [block],
  trace_call: (block) => [LATER_CALL, ['trace', 'stateDiff'], block],
  trace_callMany: (block) => [[[LATER_CALL, ['trace']]], block],
  trace_rawTransaction: (block) => [raw, ['trace'], block],
  trace_replayBlockTransactions: (block) => [block, ['trace', 'stateDiff']],
}

/** Methods that answer with the header or all fields of the block, some of which are decided when it is finished. */
const RAW: BlockCalls = {
  debug_getRawBlock: (block) => [block],
  debug_getRawHeader: (block) => [block],
}

const unfinished = (lacks: string) =>
  `${lacks} of the pending block, which is not in the chain yet: ask for latest`

/** Methods that refuse the pending block, with their errors. */
const REFUSED: Readonly<Record<string, readonly [params: readonly unknown[], message: string]>> = {
  debug_accountRange: [
    ['pending', '0x', 1, false, false, false],
    'accounts cannot be listed on this chain',
  ],
  debug_dumpBlock: [['pending'], 'accounts cannot be listed on this chain'],
  debug_executionWitness: [['pending'], 'witnesses are unavailable on this chain'],
  debug_getRawBlockAccessList: [['pending'], 'block access lists are unavailable on this chain'],
  debug_storageRangeAt: [['pending', 0, CREATED, '0x', 1], unfinished('no list of the slots')],
  debug_traceBlockStateAccess: [['pending'], unfinished('no bundle')],
  eth_getBlockAccessList: [['pending'], 'block access lists are unavailable on this chain'],
  eth_getBlockAccessListByBlockNumber: [
    ['pending'],
    'block access lists are unavailable on this chain',
  ],
  eth_getBlockAccessListByNumber: [['pending'], 'block access lists are unavailable on this chain'],
}

/** Methods for ranges of finished blocks: one is available over WebSocket only, the other counts `pending` as latest. */
const RANGES = ['debug_subscribe', 'debug_getAccessibleState']

const home = makeHome()
let daemon: Daemon
let height: string
let before: ReadonlyMap<string, unknown>
let after: ReadonlyMap<string, unknown>

const rpc = <Result>(method: string, ...params: unknown[]) =>
  call<Result>(daemon.ready.rpc, method, params)

async function askAll(block: string): Promise<ReadonlyMap<string, unknown>> {
  const answers = new Map<string, unknown>()
  for (const [method, params] of Object.entries({ ...SAME, ...RAW })) {
    answers.set(method, await rpc(method, ...params(block)))
  }
  return answers
}

beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: ['--dev.no-mining', 'true'] })
  await rpc('anvil_mine', 2)
  height = '0x3'
  const fields = { gas: 200_000n }
  const transfer = await signDynamicFee(0, { ...fields, nonce: 0, to: FRIEND, value: 5n })
  const creation = await signDynamicFee(0, { ...fields, nonce: 1, data: CREATION })
  raw = await signDynamicFee(0, { ...fields, nonce: 2, to: CREATED })
  for (const sent of [transfer, creation, raw]) await rpc('eth_sendRawTransaction', sent)
  const { timestamp } = await rpc<Json>('eth_getBlockByNumber', 'latest')
  await rpc('evm_setNextBlockTimestamp', Number(timestamp) + 100)
  before = await askAll('pending')
  await rpc('evm_mine')
  after = await askAll(height)
}, 60_000)
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

/** Members that a block gets when it is finished. */
const DECIDED = [
  ...['hash', 'nonce', 'miner', 'mixHash', 'size'],
  ...['stateRoot', 'transactionsRoot', 'receiptsRoot'],
]

/** Returns an answer without what only a finished block decides. */
function undecided(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(undecided)
  if (typeof answer !== 'object' || answer === null) return answer
  // The parent of a simulated block is the pending one.
  const left = 'calls' in answer ? [...DECIDED, 'parentHash'] : DECIDED
  const isBlock = 'parentHash' in answer
  const members = Object.entries(answer).filter(
    ([name]) => name !== 'blockHash' && !(isBlock && left.includes(name)),
  )
  return Object.fromEntries(members.map(([name, value]) => [name, undecided(value)]))
}

test('all methods that take a block are in these tables', () => {
  const taking = METHODS.filter(({ params }) =>
    params.some(({ type }) => [BLOCK.label, BLOCK_NUMBER.label].includes(type.label)),
  ).map(({ name }) => name)
  const listed = [...Object.keys(SAME), ...Object.keys(RAW), ...Object.keys(REFUSED), ...RANGES]
  expect(listed.sort()).toEqual(taking.sort())
})

test.each(Object.keys(SAME))('%s answers for the pending block as for the finished one', (name) => {
  expect(undecided(before.get(name))).toEqual(undecided(after.get(name)))
})

test('the pending block has all three transactions, and no hash', () => {
  const block = before.get('eth_getBlockByNumber') as Json & { transactions: Json[] }
  expect(block).toMatchObject({ number: height, hash: null, nonce: null, miner: null })
  const places = block.transactions.map(({ blockHash, blockNumber, transactionIndex }) => ({
    blockHash,
    blockNumber,
    transactionIndex,
  }))
  const place = (index: number) => ({
    blockHash: null,
    blockNumber: height,
    transactionIndex: `0x${index}`,
  })
  expect(places).toEqual([place(0), place(1), place(2)])
  const { hash, nonce, miner } = before.get('eth_getHeaderByNumber') as Json
  expect({ hash, nonce, miner }).toEqual({ hash: null, nonce: null, miner: null })
})

test('receipts, logs and traces of the pending block have null as its hash', () => {
  const receipts = before.get('eth_getBlockReceipts') as (Json & { logs: Json[] })[]
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const traces = before.get('trace_block') as Json[]
  expect([receipts.length, logs.length, traces.length]).toEqual([3, 1, 3])
  for (const { blockHash, blockNumber } of [...receipts, ...logs, ...traces]) {
    expect([blockHash, Number(blockNumber)]).toEqual([null, 3])
  }
})

test('a simulated block follows the pending one', () => {
  const [block] = before.get('eth_simulateV1') as (Json & { calls: Json[] })[]
  expect([block?.number, block?.calls[0]?.status]).toEqual(['0x4', '0x1'])
})

describe('the encoding of the pending block', () => {
  type Item = Uint8Array | readonly Item[]
  const decoded = (answers: ReadonlyMap<string, unknown>, method: string) =>
    decodeRlp(parseData(answers.get(method) as string)) as readonly Item[]

  test('has the transactions of the finished one', () => {
    const [, transactions] = decoded(before, 'debug_getRawBlock')
    expect((transactions as Item[]).length).toBe(3)
    expect(transactions).toEqual(decoded(after, 'debug_getRawBlock')[1])
  })

  test('has the parent, number, gas and time of the finished one', () => {
    const facts = (answers: ReadonlyMap<string, unknown>) => {
      const header = decoded(answers, 'debug_getRawHeader')
      return [0, 8, 9, 10, 11].map((index) => header[index])
    }
    expect(facts(before)).toEqual(facts(after))
  })
})

describe('a method that cannot answer for the pending block refuses it', () => {
  test.each(Object.entries(REFUSED))('%s', async (name, [params, message]) => {
    const { error } = await post(daemon.ready.rpc, name, [...params])
    expect(error?.code).toBe(-32000)
    expect(error?.message).toContain(message)
  })
})

test('traces in the pending block see its first transactions only, if asked', async () => {
  const wallet = await signDynamicFee(0, { nonce: 3, to: FRIEND, value: 7n })
  await rpc('eth_sendRawTransaction', wallet)
  const balance = async (txIndex: number | undefined) => {
    // BALANCE of the friend
    const data = `0x73${FRIEND.slice(2)}315f5260205ff3`
    const options = { tracer: 'callTracer', ...(txIndex !== undefined && { txIndex }) }
    const { output } = await rpc<Json>('debug_traceCall', { data }, 'pending', options)
    return Number(output)
  }
  expect([await balance(0), await balance(undefined)]).toEqual([5, 12])
  await expect(balance(1)).rejects.toThrow('transaction index 1 out of range for block #4')
})

test('traces of a pending block without transactions are empty', async () => {
  await rpc('anvil_dropAllTransactions')
  expect(await rpc('debug_traceBlockByNumber', 'pending', {})).toEqual([])
  expect(await rpc('trace_block', 'pending')).toEqual([])
  expect(await rpc('trace_replayBlockTransactions', 'pending', ['trace'])).toEqual([])
})
