import type { ServingThreads } from '../../api/server/threads/serving-threads.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { ServedChain } from '../open/served-chain.ts'
import type { ServerContext } from './server-context.ts'
import { servingCount } from './serving-count.ts'

/**
 * Starts RPC workers if [evm] serving_threads asks for them. A development chain has none: it removes blocks and
 * impersonates accounts. The modules load only when needed.
 */
export async function serveOnThreads(
  context: ServerContext,
  chain: ServedChain,
  submitAll: TransactionPool['addAll'],
): Promise<ServingThreads | undefined> {
  const count = servingCount(context.config.evm)
  if (count === 0 || chain.dev !== undefined) return undefined
  const { openServingThreads } = await import('./open-serving-threads.ts')
  return openServingThreads(context, chain, count, submitAll)
}
