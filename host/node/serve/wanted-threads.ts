import type { RpcWorkerPool } from '../../api/server/threads/rpc-worker-pool.ts'
import type { TransactionPool } from '../../chain/consensus/mempool/transaction-pool.ts'
import type { ServedChain } from '../open/served-chain.ts'
import { rpcWorkerCount } from './rpc-worker-count.ts'
import type { ServerContext } from './server-context.ts'

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
