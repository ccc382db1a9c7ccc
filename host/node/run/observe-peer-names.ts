import { equalBytes } from '../../base/bytes.ts'
import { hexDigits } from '../../base/hex.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import type { CometBlock } from '../../chain/consensus/comet/block.ts'
import { BLOCK_ID_FLAG } from '../../chain/consensus/comet/commit.ts'
import { type CometValidator, validatorSet } from '../../chain/consensus/comet/validator-set.ts'
import type { Mempool } from '../../chain/consensus/mempool/mempool.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { ChainParts } from '../open/open-chain.ts'
import type { EmbeddedConsensus } from './consensus.ts'

// Updates the rows of `peer-metric-table.ts`, with the meaning that their programs give them.

export interface EthereumNames {
  readonly height: () => number
  readonly counts: () => Mempool['counts']
  readonly peers: () => number
}

/** Updates the metrics under geth's and reth's names whenever they are read. */
export function observeEthereumNames(
  { height, counts, peers }: EthereumNames,
  metrics: Metrics,
): void {
  metrics.onRender(() => {
    const [head, connected] = [height(), peers()]
    metrics.set('chain_head_block', {}, head)
    metrics.set('chain_head_header', {}, head)
    metrics.set('chain_head_receipt', {}, head)
    metrics.set('chain_head_finalized', {}, head)
    metrics.set('chain_head_safe', {}, head)
    metrics.set('reth_blockchain_tree_canonical_chain_height', {}, head)
    const { pending, queued } = counts()
    metrics.set('txpool_pending', {}, pending)
    metrics.set('txpool_queued', {}, queued)
    metrics.set('reth_transaction_pool_pending_pool_transactions', {}, pending)
    metrics.set('reth_transaction_pool_queued_pool_transactions', {}, queued)
    metrics.set('p2p_peers', {}, connected)
    metrics.set('reth_network_connected_peers', {}, connected)
  })
}

/** Blocks of the embedded engine, as the metrics under CometBFT's names read them. */
type DecidedBlocks = Pick<EmbeddedConsensus['blockStore'], 'decided' | 'height'>

export interface CometNames {
  readonly genesis: Pick<Genesis, 'consensusChainId' | 'validators'>
  readonly chain: Pick<ChainParts, 'application' | 'mempool' | 'phases'>
  readonly consensus: Pick<EmbeddedConsensus, 'engine' | 'validator'> & {
    readonly blockStore: DecidedBlocks
  }
  readonly metrics: Metrics
}

/** Returns those of a set whose signatures a commit lacks. The commit of the first block is empty for all. */
function missingOf(
  validators: readonly CometValidator[],
  { lastCommit }: CometBlock,
): readonly CometValidator[] {
  if (lastCommit.signatures.length === 0) return []
  return validators.filter((_, i) => {
    const signature = lastCommit.signatures[i]
    return signature === undefined || signature.blockIdFlag === BLOCK_ID_FLAG.ABSENT
  })
}

function sumOfPowers(validators: readonly CometValidator[]): number {
  return validators.reduce((sum, { power }) => sum + power, 0)
}

/** Updates what CometBFT records after a block (`recordMetrics` of `consensus/state.go`). */
function observeDecidedBlocks({ genesis, chain, consensus, metrics }: CometNames): void {
  const labels = { chain_id: genesis.consensusChainId }
  const validators = validatorSet(genesis.validators)
  const { blockStore, validator } = consensus
  const own = validators.find(
    ({ address }) => validator !== undefined && equalBytes(address, validator.address),
  )
  let transactions = 0
  let missed = 0
  const note = (height: number): CometBlock | undefined => {
    const decided = blockStore.decided(height)
    if (decided === undefined) return undefined
    const { block, encoded, commit } = decided
    metrics.set('cometbft_consensus_height', labels, height + 1)
    metrics.set('cometbft_consensus_latest_block_height', labels, height)
    metrics.set('cometbft_consensus_rounds', labels, commit.round)
    metrics.set('cometbft_consensus_num_txs', labels, block.transactions.length)
    metrics.set('cometbft_consensus_total_txs', labels, transactions)
    metrics.set('cometbft_consensus_block_size_bytes', labels, encoded.length)
    metrics.set('cometbft_consensus_validators', labels, validators.length)
    metrics.set('cometbft_consensus_validators_power', labels, sumOfPowers(validators))
    const missing = missingOf(validators, block)
    metrics.set('cometbft_consensus_missing_validators', labels, missing.length)
    metrics.set('cometbft_consensus_missing_validators_power', labels, sumOfPowers(missing))
    // The blocks of a single validator have no evidence.
    metrics.set('cometbft_consensus_byzantine_validators', labels, 0)
    metrics.set('cometbft_consensus_byzantine_validators_power', labels, 0)
    if (own !== undefined) {
      const owner = { ...labels, validator_address: hexDigits(own.address).toUpperCase() }
      metrics.set('cometbft_consensus_validator_power', owner, own.power)
      if (missing.includes(own)) missed++
      else metrics.set('cometbft_consensus_validator_last_signed_height', owner, height)
      metrics.set('cometbft_consensus_validator_missed_blocks', owner, missed)
    }
    return block
  }
  let before = note(blockStore.height)?.header
  chain.application.onBlock(({ block: { header, transactions: included } }) => {
    transactions += included.length
    const block = note(header.number)
    if (block !== undefined && before?.height === header.number - 1) {
      const seconds = Number(block.header.time - before.time) / 1e9
      metrics.observe('cometbft_consensus_block_interval_seconds', labels, seconds)
    }
    before = block?.header
  })
}

/** Observes the time to execute each block, in milliseconds. */
function observeExecution(
  { application, phases }: CometNames['chain'],
  labels: { readonly chain_id: string },
  metrics: Metrics,
): void {
  let before = phases.executeNs
  application.onBlock(() => {
    const ms = (phases.executeNs - before) / 1e6
    before = phases.executeNs
    metrics.observe('cometbft_state_block_processing_time', labels, ms)
  })
}

/** Updates the metrics under CometBFT's names: those of consensus after each block, the others when they are read. */
export function observeCometNames(parts: CometNames): void {
  const { genesis, chain, consensus, metrics } = parts
  const labels = { chain_id: genesis.consensusChainId }
  observeDecidedBlocks(parts)
  observeExecution(chain, labels, metrics)
  const { mempool } = chain
  let counted = { rejected: 0, rechecked: 0 }
  metrics.onRender(() => {
    metrics.set('cometbft_blocksync_syncing', labels, consensus.engine.sync.isCatchingUp ? 1 : 0)
    metrics.set('cometbft_p2p_peers', labels, 0)
    metrics.set('cometbft_mempool_size', labels, mempool.size)
    metrics.set('cometbft_mempool_size_bytes', labels, mempool.bytes)
    const { rejected, rechecked } = mempool
    metrics.add('cometbft_mempool_failed_txs', labels, rejected - counted.rejected)
    metrics.add('cometbft_mempool_recheck_times', labels, rechecked - counted.rechecked)
    counted = { rejected, rechecked }
  })
}
