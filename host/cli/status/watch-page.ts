import { formatSize } from '../progress/amount-text.ts'
import type { Rates, Sample } from './sample.ts'

/** Known only by the metrics. */
const METRICS_OFF =
  'more with metrics: start the node with --instrumentation.prometheus true; q or Ctrl-C ends'

/** Before the second check there is no rate. */
const MEASURING = 'measuring'

function perSecond(value: number, unit = ''): string {
  const millions = value >= 1e6
  const shown = millions ? value / 1e6 : value
  return `${shown.toFixed(shown >= 100 ? 0 : 1)} ${millions ? 'M' : ''}${unit}/s`
}

/** Returns the seconds since the latest block, by the clock of this machine. */
function age({ at, blockTime }: Sample): number {
  return Math.max(0, (at - blockTime) / 1000)
}

function peersText({ peers, lag }: Sample): string {
  return lag === null ? String(peers) : `${peers}; ${lag} blocks behind the best`
}

type Row = readonly [name: string, value: string]

/** Returns the rows that only a node with metrics has. */
function metricRows({ metrics }: Sample, rates: Rates): readonly Row[] {
  if (metrics === undefined) return []
  const metric = (name: string, show: (value: number) => string = String): string =>
    show(metrics.get(name) ?? 0)
  const rate = (value: number | undefined, unit?: string): string =>
    value === undefined ? MEASURING : perSecond(value, unit)
  return [
    ['Transactions', rate(rates.transactions)],
    ['Gas', rate(rates.gas, 'gas')],
    [
      'Store',
      `${metric('lockstep_store_flush_lag_blocks')} blocks (${metric('lockstep_store_pending_bytes', formatSize)}) ` +
        `to flush, ${metric('lockstep_store_compaction_backlog_bytes', formatSize)} to compact`,
    ],
    [
      'Traces',
      `${metric('lockstep_traces_running')} running, ${metric('lockstep_traces_queued')} waiting`,
    ],
    [
      'JSON-RPC',
      `${rate(rates.requests)}, ${metric('lockstep_client_held_bytes', formatSize)} held for clients`,
    ],
    ['Memory', metric('process_resident_memory_bytes', formatSize)],
  ]
}

/** Returns the lines of the page of `status --watch`. A row with an unknown figure is left out. */
export function renderPage(sample: Sample, rates: Rates, trouble: string | undefined): string[] {
  const { metrics } = sample
  const { blockSeconds } = rates
  const queued = metrics?.get('lockstep_mempool_queued_transactions')
  const rows: Row[] = [
    ['Node', `${sample.moniker} (${sample.id})`],
    ['Chain', sample.network],
    ['Height', `${sample.height}, ${age(sample).toFixed(1)} s ago`],
    ['Block time', blockSeconds === undefined ? MEASURING : `${blockSeconds.toFixed(2)} s`],
    ['Sync', sample.isCatchingUp ? 'catching up' : 'in step'],
    ['Peers', peersText(sample)],
    [
      'Mempool',
      `${sample.mempool} transactions, ${formatSize(sample.mempoolBytes)}` +
        (queued === undefined ? '' : `; ${queued} wait for a nonce or funds`),
    ],
    ...metricRows(sample, rates),
  ]
  const lines = rows.map(([name, value]) => `${name.padEnd(13)} ${value}`)
  return [...lines, '', trouble ?? (metrics === undefined ? METRICS_OFF : 'q or Ctrl-C ends')]
}

/** Returns the page as one record, for log lines and programs; unknown figures are left out. */
export function renderStatusRecord(
  sample: Sample,
  rates: Rates,
): Readonly<Record<string, unknown>> {
  const round = (value: number | undefined) =>
    value === undefined ? undefined : Math.round(value * 1000) / 1000
  const metric = (name: string) => sample.metrics?.get(name)
  return {
    time: new Date(sample.at).toISOString(),
    height: sample.height,
    block_age_seconds: round(age(sample)),
    block_seconds: round(rates.blockSeconds),
    catching_up: sample.isCatchingUp,
    peers: sample.peers,
    lag: sample.lag ?? undefined,
    transactions_per_second: round(rates.transactions),
    gas_per_second: round(rates.gas),
    requests_per_second: round(rates.requests),
    mempool_transactions: sample.mempool,
    mempool_bytes: sample.mempoolBytes,
    flush_lag_blocks: metric('lockstep_store_flush_lag_blocks'),
    pending_bytes: metric('lockstep_store_pending_bytes'),
    compaction_backlog_bytes: metric('lockstep_store_compaction_backlog_bytes'),
    traces_running: metric('lockstep_traces_running'),
    traces_queued: metric('lockstep_traces_queued'),
    memory_bytes: metric('process_resident_memory_bytes'),
  }
}

/** Formats a record as `key=value` pairs. */
export function renderStatusLine(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}
