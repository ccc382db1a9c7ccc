import type { HeadFeed } from '../consensus/head-feed.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { NodeStorage } from '../store/node-storage.ts'

/** Brings the storage's metrics up to date with each block. */
export function observeStore(heads: HeadFeed, storage: NodeStorage, metrics: Metrics): void {
  const before = new Map<string, { readonly logical: number; readonly written: number }>()
  heads.onBlock(() => {
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
