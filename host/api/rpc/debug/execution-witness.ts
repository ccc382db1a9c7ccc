import { formatData } from '../../../base/hex.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { headerRecord } from '../format/block-record.ts'
import { blockNotFound, requireStateHeight } from '../resolve/block-lookup.ts'
import { requireImported, rerun } from './imported.ts'
import { checkTraceable } from './run-trace.ts'

/** All that a node without the chain needs to run a block: headers, code, and nodes of the tries. */
export async function executionWitness(call: RpcCall, block: BlockArgument): Promise<object> {
  const { context } = call
  const { states } = requireImported(
    context,
    'no witness can be made',
    'its state is no Merkle Patricia trie; debug_traceBlockStateAccess gives all that a block read, to replay it offline',
  )
  const height = requireStateHeight(context, block, blockNotFound)
  checkTraceable(context, height)
  const { firstHeader, codes, nodes } = await rerun(call, (costs) => states.witness(height, costs))
  const headers = []
  for (let at = firstHeader; at < height; at++) headers.push(plainHeader(context, at))
  return { headers, codes: codes.map(formatData), state: nodes.map(formatData), keys: null }
}

/** Members of a header that came with a fork: null before it. */
const LATER_MEMBERS = {
  baseFeePerGas: null,
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
}

/** A header with every member that there is, as geth writes one outside eth_. */
function plainHeader({ chain, rules }: RpcContext, height: number): object {
  return { ...LATER_MEMBERS, ...headerRecord(knownHeader(chain, height), rules) }
}
