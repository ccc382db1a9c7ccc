import type { HeadFeed } from '../consensus/head-feed.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { WorkScheduler } from '../server/work-scheduler.ts'

/** Brings the metrics of what clients cost up to date with each block. */
export function observeClients(heads: HeadFeed, work: WorkScheduler, metrics: Metrics): void {
  heads.onBlock(() => {
    const { heldBytes, waiting } = work.load
    metrics.set('lockstep_client_held_bytes', {}, heldBytes)
    metrics.set('lockstep_client_work_waiting', {}, waiting)
  })
}
