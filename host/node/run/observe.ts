import type { Readiness } from '../../api/server/readiness.ts'
import type { WorkScheduler } from '../../api/server/work-scheduler.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import type { Mempool } from '../../chain/consensus/mempool/mempool.ts'
import type { DropReason } from '../../chain/consensus/mempool/pool-contents.ts'
import type { Phases } from '../../chain/consensus/phases.ts'
import type { CompiledCodeCounts } from '../../evm/engine/compiled-code.ts'
import type { ExecutedBlock } from '../../storage/store/codec/block-record.ts'
import { failedHashes } from '../../storage/store/codec/receipt-codec.ts'
import type { NodeStorage } from '../../storage/store/node-storage.ts'
import type { CometConsensus } from './consensus.ts'

const PHASES = {
  recover: 'recoverNs',
  execute: 'executeNs',
  commit: 'commitNs',
  store: 'storeNs',
} as const

/** Logs and counts each block; phase times are those since the previous block. */
export function observeBlocks(
  heads: HeadFeed,
  phases: Phases,
  logger: Logger,
  metrics: Metrics,
): void {
  let before = { ...phases }
  heads.onBlock((executed) => {
    const { block } = executed
    const { number, timestamp, gasUsed, baseFeePerGas } = block.header
    for (const [phase, counter] of Object.entries(PHASES)) {
      const seconds = (phases[counter] - before[counter]) / 1e9
      metrics.observe('lockstep_block_phase_seconds', { phase }, seconds)
    }
    for (const outcome of ['adopted', 'repeated'] as const) {
      const count = phases[outcome] - before[outcome]
      metrics.add('lockstep_ahead_transactions_total', { outcome }, count)
    }
    before = { ...phases }
    const transactions = block.transactions.length
    const failed = failedCount(executed)
    metrics.set('lockstep_block_timestamp_seconds', {}, timestamp)
    metrics.add('lockstep_block_gas_total', {}, Number(gasUsed))
    const succeeded = transactions - failed
    metrics.add('lockstep_block_transactions_total', { status: 'success' }, succeeded)
    metrics.add('lockstep_block_transactions_total', { status: 'failure' }, failed)
    const fields = { height: number, transactions, gasUsed, baseFeePerGas }
    if (transactions === 0) logger.debug('block', fields)
    else logger.info('block', fields)
  })
}

/** Returns the number of transactions that failed. */
function failedCount(executed: ExecutedBlock): number {
  const { packed } = executed
  if (packed !== undefined) return failedHashes(packed.receipts).length
  return executed.receipts.filter(({ status }) => status === 0).length
}

/** Updates the mempool metrics whenever they are read. */
export function observePool(mempool: Mempool, metrics: Metrics): void {
  let dropped = { ...mempool.dropped }
  metrics.onRender(() => {
    metrics.set('lockstep_mempool_transactions', {}, mempool.size)
    metrics.set('lockstep_mempool_queued_transactions', {}, mempool.queuedCount)
    metrics.set('lockstep_mempool_bytes', {}, mempool.bytes)
    metrics.set('lockstep_mempool_memory_bytes', {}, mempool.memoryBytes)
    for (const [reason, count] of Object.entries(mempool.dropped)) {
      const more = count - dropped[reason as DropReason]
      if (more > 0) metrics.add('lockstep_mempool_dropped_total', { reason }, more)
    }
    dropped = { ...mempool.dropped }
  })
}

/** Updates the sync metrics whenever they are read, since no block may arrive. */
export function observeSync(readiness: () => Readiness, metrics: Metrics): void {
  metrics.onRender(() => {
    const { ready, height, lag = Number.NaN } = readiness()
    metrics.set('lockstep_block_height', {}, height)
    metrics.set('lockstep_ready', {}, ready ? 1 : 0)
    metrics.set('lockstep_sync_lag_blocks', {}, lag)
  })
}

/** Updates the CometBFT metrics whenever they are read. */
export function observeCometBft({ watch, comet }: CometConsensus, metrics: Metrics): void {
  let counted = 0
  metrics.onRender(() => {
    metrics.set('lockstep_comet_peers', {}, watch.peers)
    metrics.add('lockstep_comet_restarts_total', {}, comet.restarts - counted)
    counted = comet.restarts
  })
}

/** Updates the metrics of compiled EVM code whenever they are read. */
export function observeCompiledCode(
  counts: () => CompiledCodeCounts | undefined,
  metrics: Metrics,
): void {
  const before = { compiled: 0, refused: 0, evicted: 0 }
  metrics.onRender(() => {
    const found = counts()
    if (found === undefined) return
    metrics.set('lockstep_compiled_code_bytes', {}, found.bytes)
    metrics.set('lockstep_compiled_code_regions', {}, found.regions)
    for (const outcome of ['compiled', 'refused', 'evicted'] as const) {
      metrics.add('lockstep_compiled_code_total', { outcome }, found[outcome] - before[outcome])
      before[outcome] = found[outcome]
    }
  })
}

/** Updates the client quota metrics whenever they are read. */
export function observeClients(work: WorkScheduler, metrics: Metrics): void {
  metrics.onRender(() => {
    const { reservedBytes: heldBytes, waiting } = work.load
    metrics.set('lockstep_client_held_bytes', {}, heldBytes)
    metrics.set('lockstep_client_work_waiting', {}, waiting)
  })
}

/** Updates the storage metrics whenever they are read. */
export function observeStore(storage: NodeStorage, metrics: Metrics): void {
  const before = new Map<string, { readonly logical: number; readonly written: number }>()
  metrics.onRender(() => {
    const { tables, pendingBytes, pendingHeights, compactionBacklog } = storage.figures()
    for (const { member, table, rows, bytes, logicalBytes, writtenBytes } of tables) {
      const labels = { member, table }
      const counted = before.get(table) ?? { logical: 0, written: 0 }
      before.set(table, { logical: logicalBytes, written: writtenBytes })
      metrics.set('lockstep_store_rows', labels, rows)
      metrics.set('lockstep_store_bytes', labels, bytes)
      metrics.add('lockstep_store_logical_bytes_total', labels, logicalBytes - counted.logical)
      metrics.add('lockstep_store_written_bytes_total', labels, writtenBytes - counted.written)
    }
    metrics.set('lockstep_store_pending_bytes', {}, pendingBytes)
    metrics.set('lockstep_store_flush_lag_blocks', {}, pendingHeights)
    metrics.set('lockstep_store_compaction_backlog_bytes', {}, compactionBacklog)
  })
}
