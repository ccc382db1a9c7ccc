import { keccak_256 } from '@noble/hashes/sha3.js'
import { NodeClient, type NodeClientOptions } from '../../../client/remote-node/node-client.ts'
import { NodeStateView } from '../../../client/remote-node/remote-state.ts'

export interface NodeStateOptions extends NodeClientOptions {
  /** Maximum accounts, slots and block hashes to read. */
  readonly maxReads?: number
}

/** Returns the state of a node after block `height`. */
export function openNodeState(
  url: string,
  height: number,
  { maxReads, ...options }: NodeStateOptions,
): NodeStateView {
  return new NodeStateView({
    client: new NodeClient(url, options),
    height,
    keccak256: keccak_256,
    ...(maxReads !== undefined && { maxReads }),
  })
}
