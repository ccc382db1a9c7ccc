import { existsSync } from 'node:fs'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signVariedBlock } from '../support/chain/varied-block.ts'
import {
  type Frame,
  type Page,
  type Placed,
  pages,
  placed,
  type Receipt,
  type Transaction,
} from '../support/node/address-history.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { ANVIL, type Anvil, startAnvil } from '../support/peer/anvil.ts'
import { runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'

const COUNT = 60
const CHAIN = 31_337
const RECURSE = parseAbi(['function recurse(uint256)'])
const SEED = runSeed() % 100_000

interface Operation {
  readonly type: number
  readonly from: Hex
  readonly to: Hex
  readonly value: Hex
}

interface Entry {
  readonly type: string
  readonly depth: number
  readonly value: Hex | null
}

const home = makeHome()
let daemon: Daemon
let anvil: Anvil | undefined
let ours: string
let hashes: Hex[]
/** Each address in any frame, with the transactions that contain it, the latest first. */
const history = new Map<Hex, Hex[]>()
const frames = new Map<Hex, Placed[]>()

async function mined(hash: Hex): Promise<{ block: number; index: number }> {
  while (true) {
    const receipt = await call<Record<string, Hex> | null>(ours, 'eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt === null) continue
    return { block: Number(receipt.blockNumber), index: Number(receipt.transactionIndex) }
  }
}

beforeAll(async () => {
  const { deployment, transactions } = await signVariedBlock(CHAIN, COUNT, SEED)
  daemon = await startDaemon({
    home,
    arguments: ['--chain-id', String(CHAIN), '--evm.address-index', 'true'],
  })
  ours = daemon.ready.rpc
  const raws = [deployment, ...transactions]
  const first = await call<Hex>(ours, 'eth_sendRawTransaction', [deployment])
  await mined(first)
  const sent = [first]
  for (const raw of transactions) sent.push(await call(ours, 'eth_sendRawTransaction', [raw]))
  const places = await Promise.all(sent.map(mined))
  const order = [...sent.keys()].sort((a, b) => {
    const [one, other] = [places[a], places[b]] as [{ block: number; index: number }, never]
    return one.block - (other as typeof one).block || one.index - (other as typeof one).index
  })
  hashes = order.map((i) => sent[i] as Hex)
  for (const hash of hashes) {
    const root = await call<Frame>(ours, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    const all = placed(root)
    frames.set(hash, all)
    const addresses = new Set(
      all.flatMap(({ frame }) => [frame.from, ...(frame.to ? [frame.to] : [])]),
    )
    for (const address of addresses) {
      history.set(address, [hash, ...(history.get(address) ?? [])])
    }
  }
  if (!existsSync(ANVIL)) return
  anvil = await startAnvil(CHAIN, ['--hardfork', 'prague'])
  for (const i of order) {
    await call(anvil.url, 'eth_sendRawTransaction', [raws[i]])
    await call(anvil.url, 'evm_mine')
  }
})

afterAll(async () => {
  await anvil?.stop()
  await daemon?.stop()
  removeHome(home)
})

describe(`the methods of Otterscan (seed ${SEED})`, () => {
  test('return their version, and whether an address has code, for block numbers and quantities alike', async () => {
    expect(await call(ours, 'ots_getApiLevel')).toBe(8)
    const [contract] = [...frames.values()].flatMap((all) =>
      all.flatMap(({ frame, isUndone }) =>
        frame.type === 'CREATE' && !isUndone && frame.to ? [frame.to] : [],
      ),
    )
    expect(await call(ours, 'ots_hasCode', [contract, 'latest'])).toBe(true)
    expect(await call(ours, 'ots_hasCode', [contract, 0])).toBe(false)
    expect(await call(ours, 'ots_hasCode', [`0x${'11'.repeat(20)}`, '0x1'])).toBe(false)
    const byNumber = await call(ours, 'ots_getBlockDetails', [1])
    expect(await call(ours, 'ots_getBlockDetails', ['0x1'])).toEqual(byNumber)
    expect(await call(ours, 'ots_getBlockDetails', [1_000_000])).toBeNull()
    expect(await call(ours, 'ots_getBlockTransactions', [1_000_000, 0, 10])).toBeNull()
    expect(await call(ours, 'erigon_getHeaderByNumber', [1])).toEqual(
      await call(ours, 'eth_getBlockByNumber', ['0x1', false]),
    )
  })

  test('find exactly the transactions in whose frames an address occurs, with pages of any size', async () => {
    expect(history.size).toBeGreaterThan(8)
    for (const [address, wanted] of history) {
      for (const size of [1, 7, 1000]) {
        const before = await pages(ours, address, 'Before', size)
        const after = await pages(ours, address, 'After', size)
        // The trace of a failed creation has no address.
        expect(before.all, address).toEqual(wanted)
        expect(after.all, address).toEqual(wanted)
        expect(before.ends.map(([isFirst]) => isFirst)).toEqual(before.ends.map((_, i) => i === 0))
        expect(after.ends.map(([, isLast]) => isLast)).toEqual(after.ends.map((_, i) => i === 0))
      }
    }
    const stranger = `0x${'12'.repeat(20)}`
    const none = { txs: [], receipts: [], firstPage: true, lastPage: true }
    expect(await call(ours, 'ots_searchTransactionsBefore', [stranger, 0, 25])).toEqual(none)
    expect(await call(ours, 'ots_searchTransactionsAfter', [stranger, 0, 25])).toEqual(none)
    const { error } = await post(ours, 'ots_searchTransactionsAfter', [stranger, 0, 1001])
    expect(error).toMatchObject({
      code: -32000,
      message: 'max allowed page size: 1000, got 1001',
    })
  })

  test('return each transaction of a page as eth_ methods do, with the time of its block', async () => {
    const [address] = [...history].sort(([, a], [, b]) => b.length - a.length)[0] as [Hex, Hex[]]
    const { txs, receipts } = await call<Page>(ours, 'ots_searchTransactionsBefore', [
      address,
      0,
      5,
    ])
    for (const [i, transaction] of txs.entries()) {
      const { hash, blockNumber } = transaction
      expect(transaction).toEqual(await call(ours, 'eth_getTransactionByHash', [hash]))
      const { timestamp, ...receipt } = receipts[i] as Page['receipts'][number]
      expect(receipt).toEqual(await call(ours, 'eth_getTransactionReceipt', [hash]))
      const block = await call<{ timestamp: Hex }>(ours, 'eth_getBlockByNumber', [
        blockNumber,
        false,
      ])
      expect(timestamp).toBe(block.timestamp)
    }
  })

  test('find a transaction by sender and nonce, and the creator of a contract', async () => {
    for (const hash of hashes) {
      const { from, nonce } = await call<Transaction>(ours, 'eth_getTransactionByHash', [hash])
      const params = [from, Number(nonce)]
      expect(await call(ours, 'ots_getTransactionBySenderAndNonce', params)).toBe(hash)
    }
    const [sender] = [...frames.values()][0]?.map(({ frame }) => frame.from) ?? []
    expect(await call(ours, 'ots_getTransactionBySenderAndNonce', [sender, 10_000])).toBeNull()
    expect(await call(ours, 'ots_getContractCreator', [sender])).toBeNull()
    let stands = 0
    const makers = new Map<Hex, object>()
    for (const [hash, all] of frames) {
      for (const { frame, isUndone } of all) {
        if (!frame.type.startsWith('CREATE') || isUndone || frame.to === undefined) continue
        makers.set(frame.to, { hash, creator: frame.from })
      }
    }
    for (const [contract, maker] of makers) {
      const hasCode = await call<boolean>(ours, 'ots_hasCode', [contract, 'latest'])
      if (hasCode) stands++
      expect(await call(ours, 'ots_getContractCreator', [contract])).toEqual(hasCode ? maker : null)
    }
    expect(stands).toBeGreaterThan(1)
  })

  test('describe the internal operations of a transaction as its frames do', async () => {
    const numbers: Record<string, number> = { CALL: 0, SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 }
    let operations = 0
    let errors = 0
    for (const [hash, all] of frames) {
      const entries = all.map(({ frame, depth }) => ({
        type: frame.type,
        depth,
        from: frame.from,
        to: frame.to ?? `0x${'00'.repeat(20)}`,
        value: ['DELEGATECALL', 'STATICCALL'].includes(frame.type) ? null : (frame.value ?? '0x0'),
        input: frame.input,
        output: frame.output ?? '0x',
      }))
      expect(await call(ours, 'ots_traceTransaction', [hash])).toEqual(entries)
      const moved = all.flatMap(({ frame, depth, isUndone }) => {
        const type = numbers[frame.type]
        const { from, to, value = '0x0' } = frame
        const isSeen = type !== undefined && (type !== 0 || value !== '0x0')
        return depth > 0 && !isUndone && isSeen ? [{ type, from, to, value }] : []
      })
      operations += moved.length
      expect(await call(ours, 'ots_getInternalOperations', [hash])).toEqual(moved)
      const { error, output } = (all[0] as Placed).frame
      const reverted = error === 'execution reverted' ? (output ?? '0x') : '0x'
      if (reverted !== '0x') errors++
      expect(await call(ours, 'ots_getTransactionError', [hash])).toBe(reverted)
    }
    expect(operations).toBeGreaterThan(0)
    expect(errors).toBeGreaterThan(0)
  })

  test('return blocks without transactions, with their fees, and their transactions in pages from the end', async () => {
    const [newest] = [...hashes].reverse()
    const { blockNumber } = await call<Transaction>(ours, 'eth_getTransactionByHash', [newest])
    for (let height = 0; height <= Number(blockNumber); height++) {
      const number = `0x${height.toString(16)}`
      const full = await call<Record<string, unknown>>(ours, 'eth_getBlockByNumber', [number, true])
      const receipts = await call<Receipt[]>(ours, 'eth_getBlockReceipts', [number])
      const { transactions, ...block } = full
      const all = transactions as Transaction[]
      const slim = { ...block, logsBloom: null, transactionCount: all.length }
      const fees = receipts.reduce(
        (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
        0n,
      )
      const details = {
        block: slim,
        issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
        totalFees: `0x${fees.toString(16)}`,
      }
      expect(await call(ours, 'ots_getBlockDetails', [height])).toEqual(details)
      expect(await call(ours, 'ots_getBlockDetailsByHash', [full.hash])).toEqual(details)
      const size = 2
      for (let page = 0; page * size <= all.length; page++) {
        const end = all.length - page * size
        const first = Math.max(0, end - size)
        expect(await call(ours, 'ots_getBlockTransactions', [height, page, size])).toEqual({
          fullblock: {
            ...slim,
            transactions: all
              .slice(first, end)
              .map((one) => ({ ...one, input: one.input.slice(0, 10) })),
          },
          receipts: receipts
            .slice(first, end)
            .map((one) => ({ ...one, logs: null, logsBloom: null, timestamp: full.timestamp })),
        })
      }
    }
  })
})

if (!existsSync(ANVIL)) {
  console.log(
    'anvil is absent: install bench/peers to compare the methods of Otterscan with its own',
  )
}

describe.skipIf(!existsSync(ANVIL))(`Otterscan methods compared with anvil (seed ${SEED})`, () => {
  const theirs = () => anvil?.url as string

  test('find the same transactions by address, by nonce and by contract', async () => {
    for (const [address, wanted] of history) {
      const { all } = await pages(theirs(), address, 'After', 5)
      // anvil considers only calls and creations, not the beneficiary of a SELFDESTRUCT.
      const called = wanted.filter((hash) =>
        frames
          .get(hash)
          ?.some(
            ({ frame }) =>
              frame.type !== 'SELFDESTRUCT' && [frame.from, frame.to].includes(address),
          ),
      )
      expect(new Set(all), address).toEqual(new Set(called))
      const creator = await call(theirs(), 'ots_getContractCreator', [address])
      expect(await call(ours, 'ots_getContractCreator', [address]), address).toEqual(creator)
    }
    for (const hash of hashes) {
      const { from, nonce } = await call<Transaction>(ours, 'eth_getTransactionByHash', [hash])
      const params = [from, Number(nonce)]
      expect(await call(theirs(), 'ots_getTransactionBySenderAndNonce', params)).toBe(hash)
    }
  })

  test('return the same calls and operations, except for those that anvil omits', async () => {
    for (const [hash, all] of frames) {
      const [mine, yours] = (await Promise.all(
        [ours, theirs()].map((url) => call(url, 'ots_traceTransaction', [hash])),
      )) as [Entry[], Entry[]]
      if (all.every(({ isUndone }) => !isUndone)) {
        // anvil omits creations, and shows a value for calls that have none.
        const shown = (entries: readonly Entry[]) =>
          entries
            .filter(({ type }) => type !== 'SELFDESTRUCT' && !type.startsWith('CREATE'))
            .map(({ value, ...entry }) => (entry.type === 'CALL' ? { ...entry, value } : entry))
        expect(shown(mine), hash).toEqual(shown(yours))
        const inside = await call<Operation[]>(theirs(), 'ots_getInternalOperations', [hash])
        const top = (all[0] as Placed).frame
        const isShown = top.type !== 'CALL' || (top.value !== undefined && top.value !== '0x0')
        // anvil's list begins with the transfer or creation of the transaction itself.
        const wanted = isShown ? inside.slice(1) : inside
        expect(await call(ours, 'ots_getInternalOperations', [hash]), hash).toEqual(wanted)
      }
      expect(await call(ours, 'ots_getTransactionError', [hash]), hash).toBe(
        await call(theirs(), 'ots_getTransactionError', [hash]),
      )
    }
  })

  test('return blocks, transactions, receipts and pages of the same shape', async () => {
    // anvil shows a blob gas price even for transactions without blobs.
    const members = (value: object) =>
      Object.keys(value)
        .filter((name) => name !== 'blobGasPrice')
        .sort()
    const shapes = async (url: string) => {
      const [hash] = hashes
      const { blockNumber, from } = await call<Transaction>(url, 'eth_getTransactionByHash', [hash])
      const height = Number(blockNumber)
      const details = await call<Record<string, object>>(url, 'ots_getBlockDetails', [height])
      const short = await call<{ fullblock: object; receipts: object[] }>(
        url,
        'ots_getBlockTransactions',
        [height, 0, 10],
      )
      const page = await call<Page>(url, 'ots_searchTransactionsAfter', [from, 0, 1])
      return {
        hash,
        details: members(details),
        issuance: details.issuance,
        short: members(short),
        receipt: members(short.receipts[0] as object),
        page: members(page),
        pageReceipt: members(page.receipts[0] as object),
        timestamp: typeof page.receipts[0]?.timestamp,
        fees: typeof details.totalFees,
      }
    }
    expect(await shapes(ours)).toEqual(await shapes(theirs()))
  })

  test('find transactions above the fork block', async () => {
    const forkHome = makeHome()
    const fork = await startDaemon({
      home: forkHome,
      arguments: ['--dev.fork', theirs(), '--evm.address-index', 'true'],
    })
    try {
      const { rpc } = fork.ready
      const [address] = [...history].sort(([, a], [, b]) => b.length - a.length)[0] as [Hex, Hex[]]
      const raw = await signDynamicFee(9, {
        nonce: 0,
        gas: 200_000n,
        maxFeePerGas: 20_000_000_000n,
        to: address,
        // Recursive: the contract calls itself.
        data: encodeFunctionData({ abi: RECURSE, args: [3n] }),
      })
      const hash = await call<Hex>(rpc, 'eth_sendRawTransaction', [raw])
      await until(async () => (await call(rpc, 'eth_getTransactionReceipt', [hash])) !== null)
      const { txs, lastPage } = await call<Page>(rpc, 'ots_searchTransactionsBefore', [
        address,
        0,
        25,
      ])
      expect(txs.map((one) => one.hash)).toEqual([hash])
      expect(lastPage).toBe(true)
      const sender = devAccount(9).address
      expect(await call(rpc, 'ots_getTransactionBySenderAndNonce', [sender, 0])).toBe(hash)
      expect(await call<Entry[]>(rpc, 'ots_traceTransaction', [hash])).toHaveLength(4)
    } finally {
      await fork.stop()
      removeHome(forkHome)
    }
  })
})
