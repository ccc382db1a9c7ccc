import { keccak_256 } from '@noble/hashes/sha3.js'
import { NodeClient, type NodeOptions } from '../../../client/remote-node/node-client.ts'
import { RemoteState } from '../../../client/remote-node/remote-state.ts'

export interface NodeStateOptions extends NodeOptions {
  /** Accounts, slots and hashes of blocks that may be read. */
  readonly maxReads?: number
}

/** The state of a node after block `height`. */
export function openNodeState(
  url: string,
  height: number,
  { maxReads, ...options }: NodeStateOptions,
): RemoteState {
  return new RemoteState({
    client: new NodeClient(url, options),
    height,
    keccak256: keccak_256,
    ...(maxReads !== undefined && { maxReads }),
  })
}
