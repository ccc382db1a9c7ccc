import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { until } from '../support/until.ts'

// The selectors of published dashboards, answered from the metrics page of a node.

/** Every selector of "Cosmos Network Dashboard" (Grafana 11036), apart from those of `UNANSWERED`. */
const COSMOS = [
  'consensus_height',
  'consensus_total_txs',
  'consensus_validators_power',
  'consensus_validators',
  'consensus_missing_validators',
  'consensus_byzantine_validators',
  'consensus_missing_validators_power',
  'consensus_byzantine_validators_power',
  'consensus_block_size_bytes',
  'consensus_num_txs',
  'p2p_peers',
  'mempool_size',
  'mempool_failed_txs',
  'mempool_recheck_times',
].map((name) => `tendermint_${name}{CHAIN}`)

/** Later dashboards of CometBFT 0.38, whose interval is a histogram, and of the validator itself. */
const COMET = [
  'consensus_block_interval_seconds_sum',
  'consensus_block_interval_seconds_count',
  'consensus_block_interval_seconds_bucket',
  'consensus_latest_block_height',
  'consensus_rounds',
  'consensus_validator_power',
  'consensus_validator_last_signed_height',
  'consensus_validator_missed_blocks',
  'state_block_processing_time_sum',
  'state_block_processing_time_count',
  'mempool_size_bytes',
  'blocksync_syncing',
].map((name) => `tendermint_${name}{CHAIN}`)

/** Selectors of the Cosmos dashboard without an answer here, with the reason. */
const UNANSWERED = {
  'tendermint_consensus_block_interval_seconds{CHAIN}': 'a histogram since Tendermint 0.34',
  'tendermint_p2p_peer_receive_bytes_total{CHAIN}': 'the embedded engine has no peers',
  'tendermint_p2p_peer_send_bytes_total{CHAIN}': 'the embedded engine has no peers',
}

/** Heads, pool and peers of "Geth Overview" (Grafana 14053) and of reth's own overview. */
const ETHEREUM = [
  'chain_head_block',
  'chain_head_header',
  'chain_head_receipt',
  'chain_head_finalized',
  'chain_head_safe',
  'txpool_pending',
  'txpool_queued',
  'p2p_peers',
  'reth_blockchain_tree_canonical_chain_height',
  'reth_transaction_pool_pending_pool_transactions',
  'reth_transaction_pool_queued_pool_transactions',
  'reth_network_connected_peers',
]

let home: string
let node: Daemon
/** The variable of the dashboards. */
let chainId: string

beforeAll(async () => {
  home = makeHome()
  const metrics = ['--instrumentation.prometheus', 'true']
  const address = ['--instrumentation.prometheus-listen-addr', 'tcp://127.0.0.1:0']
  const namespace = ['--instrumentation.namespace', 'tendermint']
  const automine = ['--dev.automine', 'true']
  node = await startDaemon({ home, arguments: [...metrics, ...address, ...namespace, ...automine] })
  chainId = (await consensus('status')).node_info.network
}, 90_000)

afterAll(async () => {
  await node.stop()
  removeHome(home)
})

async function consensus(path: string) {
  return (await (await fetch(`${node.ready.consensus}/${path}`)).json()).result
}

async function samples(): Promise<string[]> {
  const response = await fetch(node.ready.metrics as string)
  return (await response.text()).split('\n').filter((line) => !line.startsWith('#'))
}

/** Returns the values of the series that a selector chooses. */
function select(page: readonly string[], selector: string): number[] {
  const [, name, labels = ''] =
    /^(\w+)(?:{(.*)})?$/.exec(selector.replace('CHAIN', `chain_id="${chainId}"`)) ?? []
  return page
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => labels === '' || line.includes(labels))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
}

test('the queries of published dashboards have the values that their programs give them', async () => {
  const { rpc } = node.ready
  const [from] = await call<[string]>(rpc, 'eth_accounts')
  for (const value of ['0x1', '0x2', '0x3']) {
    await call(rpc, 'eth_sendTransaction', [{ from, to: from, value }])
  }
  await expect(call(rpc, 'eth_sendRawTransaction', ['0x01'])).rejects.toThrow()
  let page: string[] = []
  await until(async () => {
    page = await samples()
    return select(page, 'chain_head_block')[0] === 3
  })
  for (const selector of [...COSMOS, ...COMET, ...ETHEREUM]) {
    expect(select(page, selector).length, selector).toBeGreaterThan(0)
  }
  for (const [selector, reason] of Object.entries(UNANSWERED)) {
    expect(select(page, selector), reason).toEqual([])
  }
  const value = (name: string) => select(page, `tendermint_${name}{CHAIN}`)
  expect(value('consensus_height')).toEqual([4])
  expect(value('consensus_latest_block_height')).toEqual([3])
  expect(value('consensus_num_txs')).toEqual([1])
  expect(value('consensus_total_txs')).toEqual([3])
  expect(value('consensus_validators')).toEqual([1])
  expect(value('consensus_missing_validators')).toEqual([0])
  expect(value('consensus_validator_last_signed_height')).toEqual([3])
  expect(value('consensus_validator_missed_blocks')).toEqual([0])
  expect(value('consensus_block_interval_seconds_count')).toEqual([2])
  expect(value('mempool_failed_txs')).toEqual([1])
  expect(select(page, 'chain_head_finalized')).toEqual([3])
  expect(select(page, 'txpool_pending')).toEqual([0])
  const { block_metas } = await consensus('blockchain?minHeight=3&maxHeight=3')
  expect(value('consensus_block_size_bytes')).toEqual([Number(block_metas[0].block_size)])
})
