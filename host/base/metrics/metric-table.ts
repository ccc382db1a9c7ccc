import type { MetricRow } from './metric-row.ts'
import { PEER_METRICS } from './peer-metric-table.ts'

/** Buckets in seconds: by default a block comes every 0.4 s; a point read takes a few microseconds. */
const BLOCK_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const REQUEST_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30]

/** Every metric of the node. Its own names follow Prometheus: base units, `_total` for counters. */
export const METRICS = {
  lockstep_block_height: {
    type: 'gauge',
    help: 'Height of the latest acknowledged block',
    labels: [],
  },
  lockstep_block_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the latest acknowledged block, in seconds since 1970',
    labels: [],
  },
  lockstep_ready: {
    type: 'gauge',
    help: '1 if /ready answers 200, 0 if the node is still syncing',
    labels: [],
  },
  lockstep_sync_lag_blocks: {
    type: 'gauge',
    help: 'Blocks behind the latest height that other nodes report',
    labels: [],
  },
  lockstep_address_index_height: {
    type: 'gauge',
    help: 'Latest block whose addresses are indexed, if evm.address_index is on',
    labels: [],
  },
  lockstep_comet_peers: {
    type: 'gauge',
    help: 'Peers that CometBFT is connected to, if it is the consensus engine',
    labels: [],
  },
  lockstep_comet_restarts_total: {
    type: 'counter',
    help: 'Restarts of CometBFT after it had ended',
    labels: [],
  },
  lockstep_block_phase_seconds: {
    type: 'histogram',
    help: 'Time a block spends in a phase: recover, execute, commit, store',
    labels: ['phase'],
    buckets: BLOCK_SECONDS,
  },
  lockstep_ahead_transactions_total: {
    type: 'counter',
    help: 'Transactions executed speculatively: applied, or executed again in order',
    labels: ['outcome'],
  },
  lockstep_compiled_code_bytes: {
    type: 'gauge',
    help: 'Memory of compiled EVM code in the engine that executes blocks, if evm.compiled_code is on',
    labels: [],
  },
  lockstep_compiled_code_regions: {
    type: 'gauge',
    help: 'Regions of EVM code that this engine has compiled or found not worth it',
    labels: [],
  },
  lockstep_compiled_code_total: {
    type: 'counter',
    help: 'Regions of EVM code of this engine: compiled, refused (not worth it), or evicted for lack of space',
    labels: ['outcome'],
  },
  lockstep_block_gas_total: {
    type: 'counter',
    help: 'Gas used by acknowledged blocks',
    labels: [],
  },
  lockstep_block_transactions_total: {
    type: 'counter',
    help: 'Transactions in acknowledged blocks, by receipt status',
    labels: ['status'],
  },
  lockstep_mempool_transactions: {
    type: 'gauge',
    help: 'Transactions in the mempool',
    labels: [],
  },
  lockstep_mempool_queued_transactions: {
    type: 'gauge',
    help: 'Transactions in the mempool that wait for an earlier nonce, or for funds',
    labels: [],
  },
  lockstep_mempool_bytes: {
    type: 'gauge',
    help: 'Bytes of the transactions in the mempool',
    labels: [],
  },
  lockstep_mempool_memory_bytes: {
    type: 'gauge',
    help: 'Memory that the transactions in the mempool take, which max-txs-bytes bounds',
    labels: [],
  },
  lockstep_mempool_dropped_total: {
    type: 'counter',
    help: 'Transactions removed from the mempool without a block, by reason',
    labels: ['reason'],
  },
  lockstep_store_rows: {
    type: 'gauge',
    help: 'Versions in a table of the state store on disk',
    labels: ['member', 'table'],
  },
  lockstep_store_bytes: {
    type: 'gauge',
    help: 'Size of a table of the state store on disk',
    labels: ['member', 'table'],
  },
  lockstep_store_logical_bytes_total: {
    type: 'counter',
    help: 'Bytes of rows that blocks wrote to a table of the state store',
    labels: ['member', 'table'],
  },
  lockstep_store_written_bytes_total: {
    type: 'counter',
    help: 'Bytes written to disk for a table, compactions included: divided by its logical bytes, its write amplification',
    labels: ['member', 'table'],
  },
  lockstep_store_pending_bytes: {
    type: 'gauge',
    help: 'Bytes of state held only in the write-ahead log and in memory',
    labels: [],
  },
  lockstep_store_flush_lag_blocks: {
    type: 'gauge',
    help: 'Blocks held only in the write-ahead log and in memory',
    labels: [],
  },
  lockstep_store_compaction_backlog_bytes: {
    type: 'gauge',
    help: 'Bytes on disk that wait for compaction',
    labels: [],
  },
  lockstep_traces_queued: {
    type: 'gauge',
    help: 'Traces that wait for a thread',
    labels: [],
  },
  lockstep_traces_running: {
    type: 'gauge',
    help: 'Traces that run on a thread',
    labels: [],
  },
  lockstep_traces_total: {
    type: 'counter',
    help: 'Traces that ended: done, failed, expired, cancelled by the caller, or rejected at once',
    labels: ['end'],
  },
  lockstep_trace_differences_total: {
    type: 'counter',
    help: 'Traces that failed because the outcome of a transaction differs from its receipt',
    labels: [],
  },
  lockstep_trace_threads_lost_total: {
    type: 'counter',
    help: 'Trace threads that died or were terminated',
    labels: [],
  },
  lockstep_trace_cache_lookups_total: {
    type: 'counter',
    help: 'Lookups of cached traces of finished blocks: hit or miss',
    labels: ['result'],
  },
  lockstep_client_held_bytes: {
    type: 'gauge',
    help: 'Bytes held for clients: requests that arrive or are in progress, responses not yet read',
    labels: [],
  },
  lockstep_client_work_waiting: {
    type: 'gauge',
    help: 'Client tasks queued for the main thread',
    labels: [],
  },
  lockstep_rpc_requests_total: {
    type: 'counter',
    help: 'JSON-RPC requests answered, by method and error code (0 is success)',
    labels: ['method', 'code'],
  },
  lockstep_rpc_request_seconds: {
    type: 'histogram',
    help: 'Time from a JSON-RPC request to its response',
    labels: ['method'],
    buckets: REQUEST_SECONDS,
  },
  lockstep_explorer_requests_total: {
    type: 'counter',
    help: 'Requests for the explorer and its files answered, by HTTP status',
    labels: ['status'],
  },
  lockstep_payment_challenges_total: {
    type: 'counter',
    help: 'Requests without a proof that were answered 402, by resource',
    labels: ['resource'],
  },
  lockstep_payment_refusals_total: {
    type: 'counter',
    help: 'Proofs refused, by reason',
    labels: ['reason'],
  },
  lockstep_payments_total: {
    type: 'counter',
    help: 'Accepted payments, by resource, protocol and whether the response was sent: delivered or failed',
    labels: ['resource', 'protocol', 'result'],
  },
  lockstep_payment_decision_seconds: {
    type: 'histogram',
    help: 'Time from a request with a proof to the decision, including the wait for blocks, by protocol or refused',
    labels: ['outcome'],
    buckets: REQUEST_SECONDS,
  },
  lockstep_payment_claim_seconds: {
    type: 'histogram',
    help: 'Time until a claim is on disk',
    labels: [],
    buckets: BLOCK_SECONDS,
  },
  lockstep_payment_settle_seconds: {
    type: 'histogram',
    help: 'Time from an authorization to the block with its transfer, by whether it succeeded',
    labels: ['success'],
    buckets: REQUEST_SECONDS,
  },
  lockstep_payment_settler_balance: {
    type: 'gauge',
    help: 'Native tokens that the settler has left for gas',
    labels: [],
  },
  lockstep_payment_settlements_left: {
    type: 'gauge',
    help: "Settlements that the settler's balance pays for at the current gas price, when last checked",
    labels: [],
  },
  lockstep_payment_settlements_in_flight: {
    type: 'gauge',
    help: 'Authorizations in progress',
    labels: [],
  },
  ...PEER_METRICS,
} as const satisfies Record<string, MetricRow>

type Names<Type extends MetricRow['type']> = {
  [Name in keyof typeof METRICS]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[keyof typeof METRICS]

export type CounterName = Names<'counter'>
export type GaugeName = Names<'gauge'>
export type HistogramName = Names<'histogram'>
export type MetricName = keyof typeof METRICS

/** The label values of a metric: `{}` if it has none. */
export type Labels<Name extends MetricName> = {
  readonly [Label in (typeof METRICS)[Name]['labels'][number]]: string
}
