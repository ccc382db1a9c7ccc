import type { MetricRow } from './metric-row.ts'

// Metrics under the names of other programs, for dashboards and alerts that were written for them. A row exists only
// if its value means the same here. CometBFT's names are those of 0.38 (`consensus/metrics.go`, `mempool/metrics.go`,
// `p2p/metrics.go`, `state/metrics.go`), with its label `chain_id`.

/** The default buckets of Prometheus' Go client. */
const GO_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Milliseconds: the only unit of CometBFT's metrics besides seconds. */
const COMET_MS_BUCKETS = [1, 11, 21, 31, 41, 51, 61, 71, 81, 91]

const CHAIN = ['chain_id'] as const
const VALIDATOR = ['chain_id', 'validator_address'] as const

type Gauge<Labels extends readonly string[], Program extends string> = {
  readonly type: 'gauge'
  readonly help: string
  readonly labels: Labels
  readonly of: Program
}

function comet(help: string): Gauge<typeof CHAIN, 'CometBFT'> {
  return { type: 'gauge', help, labels: CHAIN, of: 'CometBFT' }
}

function cometValidator(help: string): Gauge<typeof VALIDATOR, 'CometBFT'> {
  return { type: 'gauge', help, labels: VALIDATOR, of: 'CometBFT' }
}

function geth(help: string): Gauge<readonly [], 'geth'> {
  return { type: 'gauge', help, labels: [], of: 'geth' }
}

function reth(help: string): Gauge<readonly [], 'reth'> {
  return { type: 'gauge', help, labels: [], of: 'reth' }
}

/**
 * Rows under other programs' names. Those of CometBFT are set with the embedded engine only: CometBFT serves its own
 * at `cometbft-listen-addr`.
 */
export const PEER_METRICS = {
  cometbft_consensus_height: comet('Height in progress: one above the latest block'),
  cometbft_consensus_latest_block_height: comet('Height of the latest block'),
  cometbft_consensus_rounds: comet('Round in which the latest block was decided'),
  cometbft_consensus_validators: comet('Number of validators'),
  cometbft_consensus_validators_power: comet('Total voting power of all validators'),
  cometbft_consensus_missing_validators: comet(
    'Validators that did not sign the block before the latest',
  ),
  cometbft_consensus_missing_validators_power: comet(
    'Total voting power of the missing validators',
  ),
  cometbft_consensus_byzantine_validators: comet('Validators that tried to sign twice'),
  cometbft_consensus_byzantine_validators_power: comet(
    'Total voting power of the byzantine validators',
  ),
  cometbft_consensus_validator_power: cometValidator(
    'Voting power of this node, if it is a validator',
  ),
  cometbft_consensus_validator_last_signed_height: cometValidator(
    'Last height that this node signed, if it is a validator',
  ),
  cometbft_consensus_validator_missed_blocks: cometValidator(
    'Blocks since the start that this node did not sign, if it is a validator',
  ),
  cometbft_consensus_block_interval_seconds: {
    type: 'histogram',
    help: 'Time between the latest block and the one before it',
    labels: CHAIN,
    buckets: GO_BUCKETS,
    of: 'CometBFT',
  },
  cometbft_consensus_num_txs: comet('Transactions of the latest block'),
  cometbft_consensus_total_txs: comet('Transactions of blocks since the start'),
  cometbft_consensus_block_size_bytes: comet('Size of the latest block in bytes'),
  cometbft_state_block_processing_time: {
    type: 'histogram',
    help: 'Time to execute a block, in milliseconds',
    labels: CHAIN,
    buckets: COMET_MS_BUCKETS,
    of: 'CometBFT',
  },
  cometbft_blocksync_syncing: comet('1 while the node fetches blocks that others have, else 0'),
  cometbft_p2p_peers: comet('Connected peers: 0 with the embedded engine'),
  cometbft_mempool_size: comet('Transactions in the mempool'),
  cometbft_mempool_size_bytes: comet('Bytes of the transactions in the mempool'),
  cometbft_mempool_failed_txs: {
    type: 'counter',
    help: 'Transactions that the mempool rejected, repeats included',
    labels: CHAIN,
    of: 'CometBFT',
  },
  cometbft_mempool_recheck_times: {
    type: 'counter',
    help: 'Transactions that the mempool checked again after a block',
    labels: CHAIN,
    of: 'CometBFT',
  },
  chain_head_block: geth('Height of the latest block'),
  chain_head_header: geth('Height of the latest header'),
  chain_head_receipt: geth('Height of the latest block with receipts'),
  chain_head_finalized: geth('Height of the latest final block: every block is final at once'),
  chain_head_safe: geth('Height of the latest safe block'),
  txpool_pending: geth('Executable transactions in the mempool'),
  txpool_queued: geth('Transactions in the mempool that wait for an earlier nonce, or for funds'),
  p2p_peers: geth('Connected peers'),
  reth_blockchain_tree_canonical_chain_height: reth('Height of the latest block'),
  reth_transaction_pool_pending_pool_transactions: reth('Executable transactions in the mempool'),
  reth_transaction_pool_queued_pool_transactions: reth(
    'Transactions in the mempool that wait for an earlier nonce, or for funds',
  ),
  reth_network_connected_peers: reth('Connected peers'),
} as const satisfies Record<string, MetricRow>
