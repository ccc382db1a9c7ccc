import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signVariedBlock } from '../support/chain/varied-block.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'

// Makes the calls that Blockscout's documentation requires of a node ("Node Tracing / JSON RPC Requirements") as its
// indexer does: in batches, block by block, with internal transactions by both geth's and Erigon's methods.

const SEED = runSeed() % 100_000
const CHAIN = 31_337
/** Calls in one batch of the indexer. */
const BATCH = 10

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Transaction {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly value: Hex
  readonly blockHash: Hex
  readonly blockNumber: Hex
  readonly transactionIndex: Hex
}

interface Block {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly miner: Hex
  readonly transactions: readonly Transaction[]
}

interface Receipt {
  readonly transactionHash: Hex
  readonly contractAddress: Hex | null
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly status: Hex
  readonly logs: readonly object[]
}

interface Frame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly value?: Hex
  readonly error?: string
  readonly calls?: readonly Frame[]
}

interface Trace {
  readonly type: string
  readonly action: {
    readonly from?: Hex
    readonly to?: Hex
    readonly value?: Hex
    readonly callType?: string
    readonly address?: Hex
    readonly refundAddress?: Hex
    readonly balance?: Hex
  }
  readonly result?: { readonly address?: Hex } | null
  readonly error?: string
  readonly traceAddress: readonly number[]
}

/** Wei moved inside a transaction, as in a row of the indexer's table. */
interface Move {
  readonly from: Hex
  readonly to: Hex
  readonly wei: bigint
}

const home = makeHome()
let daemon: Daemon
let url: string
let latest: number
const blocks: Block[] = []
const receipts = new Map<Hex, Receipt>()

/** Returns the results of many calls of a method in order, sent in batches of the indexer's size. */
async function many<Result>(method: string, params: readonly unknown[][]): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < params.length; at += BATCH) {
    const body = params
      .slice(at, at + BATCH)
      .map((one, i) => ({ jsonrpc: '2.0', id: at + i, method, params: one }))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answers = (await response.json()) as Answer[]
    expect(answers.map(({ id }) => id)).toEqual(body.map(({ id }) => id))
    for (const { result, error } of answers) {
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      results.push(result as Result)
    }
  }
  return results
}

const hex = (number: number): Hex => `0x${number.toString(16)}`

beforeAll(async () => {
  const { deployment, transactions } = await signVariedBlock(CHAIN, 200, SEED)
  daemon = await startDaemon({ home, arguments: ['--chain-id', String(CHAIN)] })
  url = daemon.ready.rpc
  let last = await call<Hex>(url, 'eth_sendRawTransaction', [deployment])
  for (const raw of transactions) last = await call(url, 'eth_sendRawTransaction', [raw])
  await until(async () => (await call(url, 'eth_getTransactionReceipt', [last])) !== null)
  latest = Number(await call<Hex>(url, 'eth_blockNumber'))
  const numbers = Array.from({ length: latest + 1 }, (_, height) => [hex(height), true])
  blocks.push(...(await many<Block>('eth_getBlockByNumber', numbers)))
  const hashes = blocks.flatMap((block) => block.transactions.map(({ hash }) => hash))
  const all = await many<Receipt>(
    'eth_getTransactionReceipt',
    hashes.map((hash) => [hash]),
  )
  for (const receipt of all) receipts.set(receipt.transactionHash, receipt)
})

afterAll(async () => {
  await daemon?.stop()
  removeHome(home)
})

function movesOf(frame: Frame, isTop = true): Move[] {
  if (frame.error !== undefined) return []
  const below = (frame.calls ?? []).flatMap((one) => movesOf(one, false))
  const { type, from, to, value } = frame
  // DELEGATECALL shows the value of its caller, and CALLCODE pays the caller itself.
  if (isTop || to === undefined || type === 'DELEGATECALL' || type === 'CALLCODE') return below
  return [{ from, to, wei: BigInt(value ?? 0) }, ...below].filter(({ wei }) => wei > 0n)
}

/** Returns the same moves from Parity's list, in which a failed frame also undoes the frames below it. */
function movesIn(traces: readonly Trace[]): Move[] {
  const failed = traces
    .filter(({ error }) => error !== undefined)
    .map(({ traceAddress }) => traceAddress)
  const isUndone = ({ traceAddress }: Trace) =>
    failed.some((prefix) => prefix.every((step, i) => traceAddress[i] === step))
  return traces
    .filter((trace) => trace.traceAddress.length > 0 && !isUndone(trace))
    .flatMap(({ type, action, result }): Move[] => {
      if (type === 'suicide') {
        const { address, refundAddress, balance } = action
        return [{ from: address as Hex, to: refundAddress as Hex, wei: BigInt(balance ?? 0) }]
      }
      if (type === 'call' && action.callType !== 'call') return []
      const to = type === 'create' ? result?.address : action.to
      return [{ from: action.from as Hex, to: to as Hex, wei: BigInt(action.value ?? 0) }]
    })
    .filter(({ wei }) => wei > 0n)
}

describe(`a Blockscout-style indexer (seed ${SEED})`, () => {
  test('finds consecutive blocks, and the same transaction by every method', async () => {
    for (const [height, block] of blocks.entries()) {
      expect(Number(block.number)).toBe(height)
      if (height > 0) expect(block.parentHash).toBe(blocks[height - 1]?.hash)
    }
    const some = blocks.flatMap(({ transactions }) => transactions).slice(0, 20)
    for (const one of some) {
      const { hash, blockHash, blockNumber, transactionIndex } = one
      expect(await call(url, 'eth_getTransactionByHash', [hash])).toEqual(one)
      const byHash = [blockHash, transactionIndex]
      expect(await call(url, 'eth_getTransactionByBlockHashAndIndex', byHash)).toEqual(one)
      const byNumber = [blockNumber, transactionIndex]
      expect(await call(url, 'eth_getTransactionByBlockNumberAndIndex', byNumber)).toEqual(one)
    }
    const last = blocks.at(-1) as Block
    expect(await call(url, 'eth_getBlockByHash', [last.hash, true])).toEqual(last)
    expect(await call(url, 'eth_getUncleByBlockHashAndIndex', [last.hash, '0x0'])).toBeNull()
  })

  test('finds all logs of the receipts by block range', async () => {
    const wanted = blocks.flatMap(({ transactions }) =>
      transactions.flatMap(({ hash }) => receipts.get(hash)?.logs ?? []),
    )
    const found: object[] = []
    for (let from = 0; from <= latest; from += 5) {
      const range = { fromBlock: hex(from), toBlock: hex(Math.min(from + 4, latest)) }
      found.push(...(await call<object[]>(url, 'eth_getLogs', [range])))
    }
    expect(found).toEqual(wanted)
    expect(found.length).toBeGreaterThan(0)
  })

  test('finds the same internal transactions by both methods, and they account for every balance', async () => {
    const heights = blocks.filter(({ transactions }) => transactions.length > 0)
    const moves = new Map<Hex, Move[]>()
    for (const { number, transactions } of heights) {
      const traced = await call<{ txHash: Hex; result: Frame }[]>(url, 'debug_traceBlockByNumber', [
        number,
        { tracer: 'callTracer', timeout: '10s' },
      ])
      const replayed = await call<{ transactionHash: Hex; trace: Trace[] }[]>(
        url,
        'trace_replayBlockTransactions',
        [number, ['trace']],
      )
      const listed = await call<Trace[]>(url, 'trace_block', [number])
      expect(listed.filter(({ traceAddress }) => traceAddress.length === 0)).toHaveLength(
        transactions.length,
      )
      for (const [i, { hash }] of transactions.entries()) {
        expect([traced[i]?.txHash, replayed[i]?.transactionHash]).toEqual([hash, hash])
        const inside = movesOf((traced[i] as (typeof traced)[number]).result)
        expect(movesIn(replayed[i]?.trace ?? []), hash).toEqual(inside)
        moves.set(hash, inside)
      }
    }
    const balances = new Map<Hex, bigint>()
    const add = (address: Hex, wei: bigint) => {
      balances.set(address, (balances.get(address) ?? 0n) + wei)
    }
    for (const { transactions } of blocks) {
      for (const { hash, from, to, value } of transactions) {
        const { gasUsed, effectiveGasPrice, status, contractAddress } = receipts.get(
          hash,
        ) as Receipt
        add(from, -BigInt(gasUsed) * BigInt(effectiveGasPrice))
        if (status !== '0x1') continue
        add(from, -BigInt(value))
        add((to ?? contractAddress) as Hex, BigInt(value))
        for (const move of moves.get(hash) ?? []) {
          add(move.from, -move.wei)
          add(move.to, move.wei)
        }
      }
    }
    // The fee recipient's balance also changes without a transaction.
    const collectors = new Set(blocks.map(({ miner }) => miner))
    const addresses = [...balances.keys()].filter((address) => !collectors.has(address))
    const before = await many<Hex>(
      'eth_getBalance',
      addresses.map((address) => [address, '0x0']),
    )
    const after = await many<Hex>(
      'eth_getBalance',
      addresses.map((address) => [address, hex(latest)]),
    )
    expect(addresses.length).toBeGreaterThan(6)
    for (const [i, address] of addresses.entries()) {
      const grown = BigInt(after[i] as Hex) - BigInt(before[i] as Hex)
      expect(grown, address).toBe(balances.get(address))
    }
    expect([...moves.values()].flat().length).toBeGreaterThan(0)
  })

  test('reads code, call results at the latest block, and pending transactions', async () => {
    const made = [...receipts.values()].filter(
      ({ contractAddress, status }) => contractAddress !== null && status === '0x1',
    )
    const codes = await many<Hex>(
      'eth_getCode',
      made.map(({ contractAddress }) => [contractAddress, hex(latest)]),
    )
    expect(codes.filter((code) => code !== '0x').length).toBeGreaterThan(0)
    const balanceOf = '0x70a08231'.padEnd(74, '0')
    const answers = await many<Hex>(
      'eth_call',
      [`0x${'11'.repeat(20)}`].map((to) => [{ to, data: balanceOf }, hex(latest)]),
    )
    expect(answers).toEqual(['0x'])
    expect(await call(url, 'txpool_content')).toEqual({ pending: {}, queued: {} })
  })

  test('receives new heads over WebSocket', async () => {
    const socket = new WebSocket(daemon.ready.ws)
    const heads: { readonly number: Hex; readonly hash: Hex }[] = []
    socket.addEventListener('message', ({ data }) => {
      const { params } = JSON.parse(String(data))
      if (params !== undefined) heads.push(params.result)
    })
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await until(() => heads.length >= 2)
    socket.close()
    const [one, other] = heads as [(typeof heads)[number], (typeof heads)[number]]
    expect(Number(other.number)).toBe(Number(one.number) + 1)
    const block = await call<Block>(url, 'eth_getBlockByNumber', [one.number, false])
    expect(block.hash).toBe(one.hash)
  })
})
