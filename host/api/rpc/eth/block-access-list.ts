import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import {
  type BlockAccessList,
  encodeBlockAccessList,
} from '../../../evm/chain-types/block-access-list.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockAccessListRecord } from '../format/block-access-list-record.ts'
import { blockNotFound, findHeight, requireStateHeight } from '../resolve/block-lookup.ts'
import { replayInTime, requireImported } from '../resolve/imported.ts'

/** Bytes reserved for each byte of the encoding: its values, their text, and the text as JSON. */
const BYTES_OF_ANSWER = 16

/** Resolves with the list of a block (EIP-7928); undefined if there is no such block. */
async function findAccessList(
  call: MethodCall,
  block: BlockArgument,
): Promise<{ readonly list: BlockAccessList; readonly encoded: Uint8Array } | undefined> {
  const { context } = call
  const { rules } = requireImported(
    context,
    'block access lists are unavailable',
    'its headers have none; debug_traceBlockStateAccess returns everything that a block read',
  )
  const height = block.kind === 'pending' ? undefined : findHeight(context, block)
  if (height === undefined) return undefined
  const header = rules.ethereumHeader(knownHeader(context.history, height))
  if (header.blockAccessListHash === undefined) throw resourceNotFound()
  if (height > 0)
    requireStateHeight(context, { kind: 'height', height: height - 1, asked: 0n }, blockNotFound)
  const list =
    height === 0 ? [] : await replayInTime(call, (costs) => context.accessListOf(height, costs))
  const encoded = encodeBlockAccessList(list)
  call.reserve(encoded.length * BYTES_OF_ANSWER)
  return { list, encoded }
}

/** Returns the error of execution-apis for a block without a list. */
function resourceNotFound(): LockstepError {
  return new LockstepError('RESOURCE_NOT_FOUND', 'Resource not found: the block has no access list')
}

/** Returns the access list of a block, or null if the block does not exist. */
export async function getBlockAccessList(call: MethodCall, block: BlockArgument): Promise<unknown> {
  const found = await findAccessList(call, block)
  return found === undefined ? null : blockAccessListRecord(found.list)
}

/** Returns the RLP of the access list of a block. @throws RESOURCE_NOT_FOUND */
export async function getRawBlockAccessList(
  call: MethodCall,
  block: BlockArgument,
): Promise<string> {
  const found = await findAccessList(call, block)
  if (found === undefined) throw resourceNotFound()
  return formatData(found.encoded)
}
