import type { ServingThreads } from '../../api/server/threads/serving-threads.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { ServedChain } from '../open/served-chain.ts'
import type { ServerContext } from './server-context.ts'
import { servingCount } from './serving-count.ts'

/**
 * The threads that serve the EVM JSON-RPC where [evm] serving_threads says so. A development chain has none: there
 * blocks are removed, and accounts act without keys. Their modules load where they are wanted, not before.
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
