import { availableParallelism } from 'node:os'
import { MAX_SERVING_THREADS } from '../../base/config/app-keys.ts'
import type { Config } from '../../base/config/schema.ts'

/**
 * Returns the number of RPC workers by [evm] serving_threads; 0 serves on the main thread. The default is the number
 * of processors available to the process (affinity, cgroups): the main thread leaves half of its own idle, and one
 * worker less would be a bottleneck (bench/chain.md, bench/reads.md).
 */
export function rpcWorkerCount(
  { servingThreads }: Pick<Config['evm'], 'servingThreads'>,
  processors: number = availableParallelism(),
): number {
  if (servingThreads >= 0) return servingThreads
  return processors === 1 ? 0 : Math.min(processors, MAX_SERVING_THREADS)
}
