import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadRocks } from '../../host/storage/store/rocksdb/rocksdb-module.ts'
import { signVariedBlock } from '../support/chain/varied-block.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { call } from '../support/node/json-rpc.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

const TRANSACTIONS = 200
const IN_TURN = 20
const SEED = 17

if (COMETBFT === undefined) console.log('skipped: LOCKSTEP_COMETBFT names no cometbft')

/** Returns the backend that is not the default, or the default if the other one's package does not load. */
function otherBackend(): string {
  try {
    loadRocks()
    return 'rocksdb'
  } catch (error) {
    console.log(`the node that re-executes has the backend of the others: ${error}`)
    return 'lmdb'
  }
}

interface Block {
  readonly hash: string
  readonly stateRoot: string
  readonly receiptsRoot: string
  readonly transactions: readonly string[]
}

describe.skipIf(COMETBFT === undefined)('a full node that executes from height 1', () => {
  let network: TestNetwork

  beforeAll(async () => {
    network = await makeNetwork({
      validators: 1,
      full: 1,
      settings: { 'consensus.timeout-commit': '100ms' },
      settingsOf: {
        'validator-1': { 'state-store.evm-ss-split': false },
        'full-1': {
          'state-store.evm-ss-split': true,
          'state-store.ss-backend': otherBackend(),
        },
      },
    })
  })

  afterAll(() => network?.close())

  const inHex = (height: number) => `0x${height.toString(16)}`
  const block = ({ rpc }: NetworkNode, height: number) =>
    call<Block>(rpc, 'eth_getBlockByNumber', [inHex(height), false])

  /** Returns everything that a node has of a height: headers, results, events, receipts, traces, state. */
  async function allOf(node: NetworkNode, height: number): Promise<unknown> {
    const at = inHex(height)
    const { rpc } = node
    return {
      block: await call(rpc, 'eth_getBlockByNumber', [at, true]),
      receipts: await call(rpc, 'eth_getBlockReceipts', [at]),
      traces: await call(rpc, 'debug_traceBlockByNumber', [at, { tracer: 'callTracer' }]),
      states: await call(rpc, 'debug_traceBlockByNumber', [at, { tracer: 'prestateTracer' }]),
      decided: await node.ask(`/block?height=${height}`),
      results: await node.ask(`/block_results?height=${height}`),
    }
  }

  test('has the same hashes, receipts and traces with another storage backend and the opposite split setting', async () => {
    const [validator, full] = [network.node('validator-1'), network.node('full-1')]
    await validator.start()
    const { rpc } = validator
    const chainId = Number(await call<string>(rpc, 'eth_chainId', []))
    const { deployment, transactions } = await signVariedBlock(chainId, TRANSACTIONS, SEED)
    const mined = async (hash: string) =>
      network.until(`a receipt of ${hash}`, async () => {
        return (await call<unknown>(rpc, 'eth_getTransactionReceipt', [hash])) !== null
      })
    await mined(await call<string>(rpc, 'eth_sendRawTransaction', [deployment]))
    for (let at = 0; at < transactions.length; at += IN_TURN) {
      let last = ''
      for (const raw of transactions.slice(at, at + IN_TURN)) {
        last = await call<string>(rpc, 'eth_sendRawTransaction', [raw])
      }
      await mined(last)
    }
    await network.until('an empty pool', async () => {
      const status = await call<{ pending: string; queued: string }>(rpc, 'txpool_status', [])
      return Number(status.pending) + Number(status.queued) === 0
    })
    const end = (await validator.height()) + 2
    await network.untilHeight(end, [validator])
    await full.start()
    await network.untilHeight(end, [full])

    const kinds = new Set<string>()
    let found = 0
    for (let height = 1; height < end; height++) {
      const said = await allOf(validator, height)
      expect(await allOf(full, height), `height ${height}`).toEqual(said)
      const { receipts, decided } = said as {
        readonly receipts: readonly { readonly status: string }[]
        readonly decided: {
          readonly block_id: { readonly hash: string }
          readonly block: { readonly header: Readonly<Record<string, string>> }
        }
      }
      for (const { status } of receipts) kinds.add(status)
      found += receipts.length
      // The EVM JSON-RPC header has the hashes of the CometBFT header.
      const { hash, stateRoot, receiptsRoot } = await block(full, height)
      const { header } = decided.block
      expect([hash, stateRoot, receiptsRoot].map((text) => text.slice(2).toUpperCase())).toEqual([
        decided.block_id.hash,
        header.app_hash,
        header.last_results_hash,
      ])
    }
    expect(found).toBe(TRANSACTIONS + 1)
    expect(kinds).toEqual(new Set(['0x0', '0x1']))
  }, 240_000)
})
