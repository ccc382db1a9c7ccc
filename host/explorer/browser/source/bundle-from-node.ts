import { NodeClient } from '../../../client/remote-node/node-client.ts'
import type { NodeBundle, NodeBundleOptions } from './node-bundle.ts'
import { transactionHash } from './transaction-hash.ts'

/**
 * Returns the bundle of a mined transaction, from any Ethereum node. The transaction runs here while its reads are
 * recorded; its receipt is the node's.
 * @throws LockstepError INVALID_ARGUMENT, NODE_UNREACHABLE, REQUEST_TIMEOUT, PEER_INVALID, NOT_FOUND; UNSUPPORTED for
 * a chain other than an Ethereum one; STATE_PRUNED if the node provides the state in none of the ways;
 * LIMIT_EXCEEDED; TRACE_DIFFERS if an earlier transaction of its block runs differently from the node's receipt
 */
export async function bundleFromNode(
  url: string,
  hash: string,
  options: NodeBundleOptions = {},
): Promise<NodeBundle> {
  const { modules, files, ...rest } = options
  const client = new NodeClient(url, rest)
  const asked = transactionHash(hash)
  // The engine code is loaded only when a transaction is to run.
  const { recordFromNode } = await import('./node-recorder.ts')
  return recordFromNode(client, asked, options)
}
