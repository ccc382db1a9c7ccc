import { availableParallelism } from 'node:os'
import { MAX_SERVING_THREADS } from '../../config/app-keys.ts'
import type { Config } from '../../config/schema.ts'

/**
 * How many threads serve the EVM JSON-RPC by [evm] serving_threads; 0 for the chain's. A processor is left to the chain,
 * as far as the process may use several (affinity, cgroups).
 */
export function servingCount(
  { servingThreads }: Pick<Config['evm'], 'servingThreads'>,
  processors: number = availableParallelism(),
): number {
  return servingThreads < 0 ? Math.min(processors - 1, MAX_SERVING_THREADS) : servingThreads
}
