import { expect, test } from 'vitest'
import { createMetrics } from '../../../../host/base/metrics/metrics.ts'
import { type Sample, Samples, sumMetrics } from '../../../../host/cli/status/sample.ts'
import {
  renderPage,
  renderStatusLine,
  renderStatusRecord,
} from '../../../../host/cli/status/watch-page.ts'

const START = Date.UTC(2026, 10, 20, 12)

function sampleAt(seconds: number, changes: Partial<Sample> = {}): Sample {
  return {
    at: START + seconds * 1000,
    id: 'ab',
    moniker: 'alice',
    network: '1329',
    height: 100 + seconds * 2,
    blockTime: START + seconds * 1000 - 300,
    appHash: 'AB',
    isCatchingUp: false,
    lag: 0,
    peers: 2,
    mempool: 7,
    mempoolBytes: 1500,
    metrics: new Map([
      ['process_start_time_seconds', 1],
      ['lockstep_block_transactions_total', seconds * 50],
      ['lockstep_block_gas_total', seconds * 2_500_000],
      ['lockstep_rpc_requests_total', seconds * 1234],
      ['lockstep_mempool_queued_transactions', 3],
      ['lockstep_store_flush_lag_blocks', 12],
      ['lockstep_store_pending_bytes', 2_000_000],
      ['lockstep_store_compaction_backlog_bytes', 0],
      ['lockstep_traces_running', 1],
      ['lockstep_traces_queued', 0],
      ['lockstep_client_held_bytes', 999],
      ['process_resident_memory_bytes', 123_456_789],
    ]),
    ...changes,
  }
}

function samplesOf(...all: readonly Sample[]): Samples {
  const samples = new Samples()
  for (const sample of all) samples.add(sample)
  return samples
}

const page = ({ latest, rates }: Samples) => renderPage(latest as Sample, rates, undefined)

test('the watch page shows a node that makes two blocks a second', () => {
  expect(page(samplesOf(sampleAt(0), sampleAt(1), sampleAt(2)))).toEqual([
    'Node          alice (ab)',
    'Chain         1329',
    'Height        104, 0.3 s ago',
    'Block time    0.50 s',
    'Sync          in step',
    'Peers         2; 0 blocks behind the best',
    'Mempool       7 transactions, 1.5 kB; 3 wait for a nonce or funds',
    'Transactions  50.0 /s',
    'Gas           2.5 Mgas/s',
    'Store         12 blocks (2.0 MB) to flush, 0 bytes to compact',
    'Traces        1 running, 0 waiting',
    'JSON-RPC      1234 /s, 999 bytes held for clients',
    'Memory        123.5 MB',
    '',
    'q or Ctrl-C ends',
  ])
})

test('the watch page of a node without metrics has only rows with values', () => {
  expect(
    page(samplesOf(sampleAt(0, { metrics: undefined }), sampleAt(1, { metrics: undefined }))),
  ).toEqual([
    'Node          alice (ab)',
    'Chain         1329',
    'Height        102, 0.3 s ago',
    'Block time    0.50 s',
    'Sync          in step',
    'Peers         2; 0 blocks behind the best',
    'Mempool       7 transactions, 1.5 kB',
    '',
    'more with metrics: start the node with --instrumentation.prometheus true; q or Ctrl-C ends',
  ])
})

test('the watch page says that it measures rates until the second check', () => {
  const lines = page(samplesOf(sampleAt(0)))
  expect(lines.filter((line) => line.includes('measuring'))).toEqual([
    'Block time    measuring',
    'Transactions  measuring',
    'Gas           measuring',
    'JSON-RPC      measuring, 999 bytes held for clients',
  ])
})

test('the watch page resets its rates for a new process or another chain', () => {
  const metrics = new Map([
    ['process_start_time_seconds', 2],
    ['lockstep_block_gas_total', 5],
  ])
  expect(samplesOf(sampleAt(0), sampleAt(1, { metrics })).rates.gas).toBeUndefined()
  expect(samplesOf(sampleAt(0), sampleAt(1, { height: 1 })).rates.blockSeconds).toBeUndefined()
})

test('the watch page discards samples older than ten seconds', () => {
  const slow = Array.from({ length: 30 }, (_, i) => sampleAt(i, { height: i < 15 ? 0 : i }))
  expect(samplesOf(...slow).rates.blockSeconds).toBeCloseTo(1)
})

test('the watch page sums the labels of a metric as the node writes them', async () => {
  const metrics = createMetrics()
  metrics.add('lockstep_block_transactions_total', { status: 'success' }, 3)
  metrics.add('lockstep_block_transactions_total', { status: 'failure' }, 2)
  metrics.set('lockstep_block_height', {}, 9)
  const sums = sumMetrics(await metrics.render())
  expect(sums.get('lockstep_block_transactions_total')).toBe(5)
  expect(sums.get('lockstep_block_height')).toBe(9)
  expect(sums.get('process_start_time_seconds')).toBeGreaterThan(1e9)
})

test('without a terminal the watch output is a line of key=value pairs without unknown values', () => {
  const samples = samplesOf(
    sampleAt(0, { metrics: undefined }),
    sampleAt(1, { metrics: undefined }),
  )
  expect(renderStatusLine(renderStatusRecord(samples.latest as Sample, samples.rates))).toBe(
    'time=2026-11-20T12:00:01.000Z height=102 block_age_seconds=0.3 block_seconds=0.5 catching_up=false ' +
      'peers=2 lag=0 mempool_transactions=7 mempool_bytes=1500',
  )
})
