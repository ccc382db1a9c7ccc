import { keccak_256 } from '@noble/hashes/sha3.js'
import { NodeClient } from './node-client.ts'
import { RemoteState } from './remote-state.ts'
import type { NodeStateOptions } from './state-of-node.ts'

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
