import { availableParallelism } from 'node:os'
import type { RpcWorkerPool } from '../../api/server/threads/rpc-worker-pool.ts'
import { MAX_SERVING_THREADS } from '../../base/config/app-keys.ts'
import type { Config } from '../../base/config/schema.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { ServedChain } from '../open/served-chain.ts'
import type { ServerContext } from './server-context.ts'

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

/**
 * Starts RPC workers if [evm] serving_threads asks for them. A development chain has none: it removes blocks and
 * impersonates accounts. The modules load only when needed.
 */
export async function serveOnThreads(
  context: ServerContext,
  chain: ServedChain,
  submitAll: TransactionPool['addAll'],
): Promise<RpcWorkerPool | undefined> {
  const count = rpcWorkerCount(context.config.evm)
  if (count === 0 || chain.dev !== undefined) return undefined
  const { openRpcWorkers } = await import('./open-rpc-workers.ts')
  return openRpcWorkers(context, chain, count, submitAll)
}
