import { availableParallelism } from 'node:os'
import { MAX_SERVING_THREADS } from '../../base/config/app-keys.ts'
import type { Config } from '../../base/config/schema.ts'

/**
 * How many threads serve the EVM JSON-RPC by [evm] serving_threads; 0 for the chain's. By default as many as the process
 * may use processors (affinity, cgroups): the chain's thread leaves half of its own idle, where one thread less would be
 * the one that all wait for (bench/chain.md, bench/reads.md).
 */
export function servingCount(
  { servingThreads }: Pick<Config['evm'], 'servingThreads'>,
  processors: number = availableParallelism(),
): number {
  if (servingThreads >= 0) return servingThreads
  return processors === 1 ? 0 : Math.min(processors, MAX_SERVING_THREADS)
}
