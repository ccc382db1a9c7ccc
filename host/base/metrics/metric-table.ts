export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds, of a histogram only. */
  readonly buckets?: readonly number[]
}

/** Buckets in seconds: a block comes each 0.4 s by default, a point read takes some microseconds. */
const BLOCK_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const REQUEST_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30]

/** Every metric of the node. Names follow Prometheus: base units, `_total` for counters. */
export const METRICS = {
  lockstep_block_height: {
    type: 'gauge',
    help: 'Height of the newest acknowledged block',
    labels: [],
  },
  lockstep_block_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the newest acknowledged block, in seconds since 1970',
    labels: [],
  },
  lockstep_ready: {
    type: 'gauge',
    help: '1 where /ready answers 200, 0 where the node waits for blocks of others',
    labels: [],
  },
  lockstep_sync_lag_blocks: {
    type: 'gauge',
    help: 'Blocks behind the newest height that other nodes have told of',
    labels: [],
  },
  lockstep_address_index_height: {
    type: 'gauge',
    help: 'Newest block whose addresses are indexed, where evm.address_index is on',
    labels: [],
  },
  lockstep_comet_peers: {
    type: 'gauge',
    help: 'Peers that CometBFT is connected to, where it decides the blocks',
    labels: [],
  },
  lockstep_comet_restarts_total: {
    type: 'counter',
    help: 'How many times CometBFT was started again after it had ended',
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
    help: 'Transactions that ran ahead of their turn: adopted as they were, or repeated in their turn',
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
    help: 'Transactions that left the mempool without a block, by reason',
    labels: ['reason'],
  },
  lockstep_store_rows: {
    type: 'gauge',
    help: 'Versions that a table of the state store holds on disk',
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
    help: 'Bytes that went to disk for a table, compactions included: divided by its logical bytes, its write amplification',
    labels: ['member', 'table'],
  },
  lockstep_store_pending_bytes: {
    type: 'gauge',
    help: 'Bytes of state that are in the write-ahead log and in memory only',
    labels: [],
  },
  lockstep_store_flush_lag_blocks: {
    type: 'gauge',
    help: 'Blocks that are in the write-ahead log and in memory only',
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
    help: 'Traces that failed because a transaction ended otherwise than its receipt says',
    labels: [],
  },
  lockstep_trace_threads_lost_total: {
    type: 'counter',
    help: 'Trace threads that died or had to be ended',
    labels: [],
  },
  lockstep_trace_cache_lookups_total: {
    type: 'counter',
    help: 'Look-ups of traces of finished blocks among the kept results: hit or miss',
    labels: ['result'],
  },
  lockstep_client_held_bytes: {
    type: 'gauge',
    help: 'Bytes held for clients: requests that arrive or are worked on, answers not yet read',
    labels: [],
  },
  lockstep_client_work_waiting: {
    type: 'gauge',
    help: 'Pieces of work for clients that wait for a turn on the chain thread',
    labels: [],
  },
  lockstep_rpc_requests_total: {
    type: 'counter',
    help: 'JSON-RPC requests answered, by method and error code (0 is success)',
    labels: ['method', 'code'],
  },
  lockstep_rpc_request_seconds: {
    type: 'histogram',
    help: 'Time from a JSON-RPC request to its answer',
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
    help: 'Requests without a proof that were told what to pay, by resource',
    labels: ['resource'],
  },
  lockstep_payment_refusals_total: {
    type: 'counter',
    help: 'Proofs refused, by reason',
    labels: ['reason'],
  },
  lockstep_payments_total: {
    type: 'counter',
    help: 'Payments taken, by resource, protocol and whether the response went out: delivered or failed',
    labels: ['resource', 'protocol', 'result'],
  },
  lockstep_payment_decision_seconds: {
    type: 'histogram',
    help: 'Time from a request with a proof to the decision, waiting for blocks included, by protocol or refused',
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
  lockstep_payment_settlements_in_flight: {
    type: 'gauge',
    help: 'Authorizations that are being carried out',
    labels: [],
  },
} as const satisfies Record<string, MetricRow>

type Names<Type extends MetricRow['type']> = {
  [Name in keyof typeof METRICS]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[keyof typeof METRICS]

export type CounterName = Names<'counter'>
export type GaugeName = Names<'gauge'>
export type HistogramName = Names<'histogram'>
export type MetricName = keyof typeof METRICS

/** A value for each label of a metric: `{}` for a metric without labels. */
export type Labels<Name extends MetricName> = {
  readonly [Label in (typeof METRICS)[Name]['labels'][number]]: string
}
