import { formatData } from '../../../base/hex.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { headerRecord } from '../format/block-record.ts'
import { blockNotFound, requireFinished, requireStateHeight } from '../resolve/block-lookup.ts'
import { replayInTime, requireImported } from '../resolve/imported.ts'
import { checkTraceable } from './run-trace.ts'

/** Returns everything that a stateless node needs to execute a block: headers, code, and trie nodes. */
export async function executionWitness(call: MethodCall, block: BlockArgument): Promise<object> {
  const { context } = call
  const { states } = requireImported(
    context,
    'witnesses are unavailable',
    'its state is not a Merkle Patricia trie; debug_traceBlockStateAccess returns everything that a block read, for an offline replay',
  )
  requireFinished(block, 'no witness')
  const height = requireStateHeight(context, block, blockNotFound)
  checkTraceable(context, height)
  const { firstHeader, codes, nodes } = await replayInTime(call, (costs) =>
    states.witness(height, costs),
  )
  const headers = []
  for (let at = firstHeader; at < height; at++) headers.push(plainHeader(context, at))
  return { headers, codes: codes.map(formatData), state: nodes.map(formatData), keys: null }
}

/** Header fields added by forks; null before the fork. */
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

/** Returns a header with all its fields, as geth encodes it outside eth_. */
function plainHeader({ chain, rules }: RpcContext, height: number): object {
  return { ...LATER_MEMBERS, ...headerRecord(knownHeader(chain, height), rules) }
}
