import { NodeClient } from '../../../client/remote-node/node-client.ts'
import type { NodeBundle, NodeBundleOptions } from './node-bundle.ts'
import { transactionHash } from './transaction-hash.ts'

/**
 * The bundle of a mined transaction, from any Ethereum node: all that the transaction reads is recorded while it
 * runs here, and its receipt is the node's.
 * @throws LockstepError INVALID_ARGUMENT, NODE_UNREACHABLE, REQUEST_TIMEOUT, PEER_INVALID, NOT_FOUND; UNSUPPORTED for
 * a chain that is no Ethereum; STATE_PRUNED where the node gives no state in any way; LIMIT_EXCEEDED; TRACE_DIFFERS
 * where a transaction before it in its block runs otherwise than the node says
 */
export async function bundleFromNode(
  url: string,
  hash: string,
  options: NodeBundleOptions = {},
): Promise<NodeBundle> {
  const { modules, files, ...rest } = options
  const client = new NodeClient(url, rest)
  const asked = transactionHash(hash)
  // What runs transactions is loaded when one is to be run
  const { recordFromNode } = await import('./node-recorder.ts')
  return recordFromNode(client, asked, options)
}
