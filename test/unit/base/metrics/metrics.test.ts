import { describe, expect, test } from 'vitest'
import type { MetricRow } from '../../../../host/base/metrics/metric-row.ts'
import { METRICS } from '../../../../host/base/metrics/metric-table.ts'
import { createMetrics } from '../../../../host/base/metrics/metrics.ts'
import { ThreadCounts } from '../../../../host/base/metrics/thread-counts.ts'

const lines = (text: string) => text.split('\n')

describe('metrics', () => {
  test('are rendered in the text format of Prometheus', async () => {
    const metrics = createMetrics()
    metrics.add('lockstep_rpc_requests_total', { method: 'eth_chainId', code: '0' })
    metrics.add('lockstep_rpc_requests_total', { method: 'eth_chainId', code: '0' }, 2)
    metrics.set('lockstep_block_height', {}, 41)
    metrics.set('lockstep_block_height', {}, 42)
    metrics.observe('lockstep_block_phase_seconds', { phase: 'execute' }, 0.02)
    const text = lines(await metrics.render())
    expect(text).toContain('lockstep_rpc_requests_total{method="eth_chainId",code="0"} 3')
    expect(text).toContain('lockstep_block_height 42')
    expect(text).toContain('lockstep_block_phase_seconds_bucket{le="0.01",phase="execute"} 0')
    expect(text).toContain('lockstep_block_phase_seconds_bucket{le="0.025",phase="execute"} 1')
    expect(text).toContain('lockstep_block_phase_seconds_sum{phase="execute"} 0.02')
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  test('include every row of the table and those of the process', async () => {
    const text = lines(await createMetrics().render())
    for (const [name, row] of Object.entries<MetricRow>(METRICS)) {
      expect(text).toContain(`# HELP ${name} ${row.help}`)
      expect(text).toContain(`# TYPE ${name} ${row.type}`)
    }
    expect(text).toContain('# TYPE process_resident_memory_bytes gauge')
  })

  test('belong to one node, so that two nodes in a process do not mix', async () => {
    const [a, b] = [createMetrics(), createMetrics()]
    a.set('lockstep_block_height', {}, 5)
    expect(lines(await b.render())).toContain('lockstep_block_height 0')
  })
})

test('the counts of threads are summed, including those of a thread that ended', async () => {
  const metrics = createMetrics()
  const labels = { method: 'eth_chainId', code: '0' }
  metrics.add('lockstep_rpc_requests_total', labels, 2)
  metrics.observe('lockstep_rpc_request_seconds', { method: 'eth_chainId' }, 0.002)
  metrics.set('lockstep_block_height', {}, 7)
  const [first, second] = [new ThreadCounts(), new ThreadCounts()]
  first.add('lockstep_rpc_requests_total', labels, 30)
  first.observe('lockstep_rpc_request_seconds', { method: 'eth_chainId' }, 0.0002)
  second.add('lockstep_rpc_requests_total', labels, 400)
  second.add('lockstep_rpc_requests_total', { method: 'net_version', code: '0' })
  metrics.merge(1, structuredClone(first.counts()))
  metrics.merge(2, structuredClone(second.counts()))
  first.add('lockstep_rpc_requests_total', labels, 5000)
  metrics.merge(1, structuredClone(first.counts()))
  for (const _ of [1, 2]) {
    const text = lines(await metrics.render())
    expect(text).toContain('lockstep_rpc_requests_total{method="eth_chainId",code="0"} 5432')
    expect(text).toContain('lockstep_rpc_requests_total{method="net_version",code="0"} 1')
    expect(text).toContain(
      'lockstep_rpc_request_seconds_bucket{le="0.0005",method="eth_chainId"} 1',
    )
    expect(text).toContain('lockstep_rpc_request_seconds_bucket{le="+Inf",method="eth_chainId"} 2')
    expect(text).toContain('lockstep_rpc_request_seconds_count{method="eth_chainId"} 2')
    expect(text).toContain('lockstep_block_height 7')
    expect(text.filter((line) => line.startsWith('# TYPE lockstep_rpc_requests_total'))).toEqual([
      '# TYPE lockstep_rpc_requests_total counter',
    ])
  }
})

test('a thread counts exactly as the node itself does, down to the bucket', async () => {
  const alone = createMetrics()
  const shown = createMetrics()
  const thread = new ThreadCounts()
  for (const counting of [alone, thread]) {
    for (const value of [0, 0.0001, 0.00011, 0.3, 30, 31]) {
      counting.observe('lockstep_rpc_request_seconds', { method: 'eth_call' }, value)
    }
    counting.observe('lockstep_rpc_request_seconds', { method: 'eth_chainId' }, 0.01)
    for (const code of ['0', '3', '0']) {
      counting.add('lockstep_rpc_requests_total', { method: 'eth_call', code })
    }
  }
  shown.merge(1, structuredClone(thread.counts()))
  const counted = async (metrics: typeof alone) =>
    lines(await metrics.render()).filter((line) => line.startsWith('lockstep_rpc_'))
  const expected = await counted(alone)
  expect(expected).toContain('lockstep_rpc_request_seconds_count{method="eth_call"} 6')
  expect((await counted(shown)).sort()).toEqual(expected.sort())
})

test('a namespace replaces the prefix of CometBFT in the names under which metrics are served', async () => {
  const metrics = createMetrics('tendermint')
  metrics.set('cometbft_consensus_height', { chain_id: 'test-1' }, 7)
  metrics.add('cometbft_mempool_failed_txs', { chain_id: 'test-1' }, 2)
  metrics.set('lockstep_block_height', {}, 6)
  const text = lines(await metrics.render())
  expect(text).toContain('tendermint_consensus_height{chain_id="test-1"} 7')
  expect(text).toContain('tendermint_mempool_failed_txs{chain_id="test-1"} 2')
  expect(text).toContain('lockstep_block_height 6')
  expect(text.filter((line) => line.includes('cometbft_'))).toEqual([])
})

test('gauges are set each time they are read', async () => {
  const metrics = createMetrics()
  let lag = 0
  metrics.onRender(() => metrics.set('lockstep_sync_lag_blocks', {}, ++lag))
  for (const read of [1, 2]) {
    expect(lines(await metrics.render())).toContain(`lockstep_sync_lag_blocks ${read}`)
  }
})

describe('the table of metrics', () => {
  test('follows the naming conventions of Prometheus for its own names', () => {
    for (const [name, row] of Object.entries<MetricRow>(METRICS)) {
      expect(name.startsWith('lockstep_'), name).toBe(row.of === undefined)
      if (row.of !== undefined) continue
      expect(name).toMatch(/^lockstep_[a-z_]+$/)
      expect(name.endsWith('_total'), name).toBe(row.type === 'counter')
      expect(row.buckets !== undefined, name).toBe(row.type === 'histogram')
      if (row.type === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/)
    }
  })
})
