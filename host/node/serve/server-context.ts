import type { WorkScheduler } from '../../api/server/work-scheduler.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import type { Disposables } from '../disposables.ts'
import type { LiveSettings } from '../live-settings.ts'

/** Parts that every server of a node shares. */
export interface ServerContext {
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
  readonly closers: Disposables
  /** Accounts for the cost of clients across all servers. */
  readonly work: WorkScheduler
  /** Absent if the settings of the node do not change. */
  readonly live?: LiveSettings | undefined
}
