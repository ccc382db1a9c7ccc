import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { encodeRlpHeader } from '../../../evm/chain-types/ethereum-header.ts'
import { encodeReceipt } from '../../../evm/chain-types/receipt.ts'
import { encodeRawBlock } from '../../../evm/execute/raw-block.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound } from '../resolve/block-lookup.ts'
import { type FoundBlock, findBlock } from '../resolve/block-reader.ts'

/** @throws NOT_FOUND, STATE_PRUNED */
function requireBlock(context: RpcContext, argument: BlockArgument): FoundBlock {
  const found = findBlock(context, argument)
  if (found === undefined) throw new LockstepError('NOT_FOUND', blockNotFound(argument))
  return found
}

export function getRawHeader({ context }: MethodCall, argument: BlockArgument): string {
  return formatData(
    encodeRlpHeader(context.rules.ethereumHeader(requireBlock(context, argument).header)),
  )
}

export function getRawBlock({ context }: MethodCall, argument: BlockArgument): string {
  const { block, header } = requireBlock(context, argument)
  return formatData(encodeRawBlock(context.rules, { ...block, header }))
}

export function getRawReceipts({ context }: MethodCall, argument: BlockArgument): string[] {
  return requireBlock(context, argument).receipts.map((receipt) =>
    formatData(encodeReceipt(receipt)),
  )
}
