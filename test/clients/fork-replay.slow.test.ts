import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatData, formatQuantity, type Hex, parseQuantity } from '../../host/base/hex.ts'
import { describedBlock, describedWithdrawals } from '../../host/client/remote-node/block-answer.ts'
import { signedTransactions } from '../../host/client/remote-node/mined-transaction.ts'
import { NodeClient } from '../../host/client/remote-node/node-client.ts'
import type { NodeKind } from '../../host/client/remote-node/node-kind.ts'
import type { EthereumHeader } from '../../host/evm/chain-types/ethereum-header.ts'
import type { Transaction } from '../../host/evm/chain-types/transaction.ts'
import type { CandidateSource } from '../../host/evm/execute/candidates.ts'
import { openTestFork, type TestFork } from '../support/dev/test-fork.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { ANVIL, startAnvil } from '../support/peer/anvil.ts'
import { makePeerChain } from './peer/chain.ts'
import { firstDifference } from './peer/difference.ts'
import { findGeth, startArchive } from './peer/geth.ts'

const SEED = 7

/** Tracers used in turn for the transactions of a block. */
const TRACES = [
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer' },
  { tracer: '4byteTracer' },
  { enableMemory: true, enableReturnData: true },
]

const geth = findGeth()

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fork-replay-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns a source of the transactions in their order, regardless of price. */
function inOrder(transactions: readonly Transaction[]): CandidateSource {
  let next = 0
  const past = () => {
    next++
    return transactions
  }
  return { peek: () => transactions[next], take: past, drop: () => undefined, skip: past }
}

/** Returns the header fields that the execution of a block determines. */
function results({ gasUsed, logsBloom, receiptsRoot, transactionsRoot, ...rest }: EthereumHeader) {
  const { baseFeePerGas, blobGasUsed, excessBlobGas, requestsHash, withdrawalsRoot } = rest
  const decided = { gasUsed, logsBloom, receiptsRoot, transactionsRoot, requestsHash }
  const all = { ...decided, baseFeePerGas, blobGasUsed, excessBlobGas, withdrawalsRoot }
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? formatData(value) : value,
    ]),
  )
}

/** Rebuilds block `height` of a node's chain on a fork at its parent, and compares both over JSON-RPC. */
async function again(url: string, kind: NodeKind, height: number): Promise<void> {
  const fork: TestFork = await openTestFork({ url, block: height - 1, folder })
  try {
    const client = new NodeClient(url)
    const asked = [formatQuantity(height), true]
    const block = await client.read('eth_getBlockByNumber', asked, describedBlock)
    const { header } = block
    const { revision } = fork.opened.served.rules.envOf(fork.opened.chain.head)
    const transactions = await signedTransactions(
      { client, kind, recovery: fork.recovery, note: () => {} },
      { chainId: fork.opened.fork.chainId, block },
      revision,
      0,
      block.transactions.length,
    )
    const made = await fork.opened.chain.make(
      {
        timestamp: Number(header.timestamp),
        baseFee: header.baseFeePerGas,
        coinbase: header.coinbase,
        prevRandao: header.mixHash,
        gasLimit: header.gasLimit,
        parentBeaconBlockRoot: header.parentBeaconBlockRoot,
        withdrawals: await client.read('eth_getBlockByNumber', asked, (one) =>
          describedWithdrawals(one.at('withdrawals')),
        ),
      },
      () => inOrder(transactions),
    )
    expect(made.block.transactions.length, `transactions of block ${height}`).toBe(
      transactions.length,
    )
    const own = made.block.header.ethereum?.header as EthereumHeader
    expect(results(own), `block ${height}`).toEqual(results(header))
    if (transactions.length === 0 || kind !== 'other') return
    for (const [at, hash] of transactions.map((one) => formatData(one.hash)).entries()) {
      const params = [hash, TRACES[at % TRACES.length]]
      const question = JSON.stringify(params)
      const [ours, theirs] = await Promise.all([
        post(fork.url, 'debug_traceTransaction', params),
        post(url, 'debug_traceTransaction', params),
      ])
      expect(ours.error, question).toBeUndefined()
      expect(firstDifference(theirs.result, ours.result), question).toBeUndefined()
    }
  } finally {
    await fork.close()
  }
}

if ('reason' in geth) console.log(`No fork of geth: ${geth.reason}`)

describe.skipIf('reason' in geth)(
  `a chain of geth${'reason' in geth ? ` (${geth.reason})` : ''}`,
  () => {
    test('has the same receipts and traces in every block after a fork at its parent rebuilds it', async () => {
      const { path } = geth as { path: string }
      const { home, last } = await makePeerChain(path, folder, SEED, 10)
      const { rpc, stop } = await startArchive(path, home)
      try {
        for (let height = 1; height <= last; height++) await again(rpc, 'other', height)
      } finally {
        await stop()
      }
    }, 300_000)
  },
)

describe.skipIf(!existsSync(ANVIL))(
  `a chain of anvil${existsSync(ANVIL) ? '' : ' (not installed)'}`,
  () => {
    test('has the same receipts in every block after a fork at its parent rebuilds it', async () => {
      const anvil = await startAnvil(31_337)
      try {
        const last = await fillAnvil(anvil.url)
        for (let height = 1; height <= last; height++) await again(anvil.url, 'anvil', height)
      } finally {
        await anvil.stop()
      }
    })
  },
)

/** Mines blocks with transactions of several kinds. Returns the latest height. */
async function fillAnvil(url: string): Promise<number> {
  const [from, to] = await call<[Hex, Hex]>(url, 'eth_accounts')
  const send = (fields: object) =>
    call<Hex>(url, 'eth_sendTransaction', [{ from, gas: '0x40000', ...fields }])
  const mine = () => call(url, 'evm_mine')
  await send({ to, value: '0x1234' })
  // Deploys code that counts in slot 0 and logs the count, or reverts if called with data.
  const counter = '36600e5760005460010180600055600052602060002060206000a1005b60006000fd'
  const size = (counter.length / 2).toString(16).padStart(2, '0')
  await send({ data: `0x60${size}600c60003960${size}6000f3${counter}` })
  await mine()
  const receipt = await call<{ contractAddress: Hex }>(url, 'eth_getTransactionReceipt', [
    (await call<{ transactions: Hex[] }>(url, 'eth_getBlockByNumber', ['0x1', false]))
      .transactions[1],
  ])
  const contract = receipt.contractAddress
  for (let block = 0; block < 3; block++) {
    await send({ to: contract })
    await send({ to: contract, data: '0x01' })
    await send({
      to,
      value: formatQuantity(BigInt(block) + 1n),
      accessList: [{ address: contract, storageKeys: [formatData(new Uint8Array(32))] }],
    })
    await mine()
  }
  await mine()
  return Number(parseQuantity(await call<Hex>(url, 'eth_blockNumber'), 64))
}
