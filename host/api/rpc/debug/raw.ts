import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { encodeRlpHeader } from '../../../evm/chain-types/ethereum-header.ts'
import { encodeReceipt } from '../../../evm/chain-types/receipt.ts'
import { encodeRawBlock } from '../../../evm/execute/raw-block.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound } from '../resolve/block-lookup.ts'
import { type FoundBlock, readBlock } from '../resolve/block-reader.ts'

/** @throws NOT_FOUND, STATE_PRUNED */
function readExisting<Result>(
  context: RpcContext,
  argument: BlockArgument,
  read: (found: FoundBlock) => Result,
): Result | Promise<Result> {
  return readBlock(context, argument, (found) => {
    if (found === undefined) throw new LockstepError('NOT_FOUND', blockNotFound(argument))
    return read(found)
  })
}

export function getRawHeader({ context }: MethodCall, argument: BlockArgument) {
  return readExisting(context, argument, ({ header }) =>
    formatData(encodeRlpHeader(context.rules.ethereumHeader(header))),
  )
}

export function getRawBlock({ context }: MethodCall, argument: BlockArgument) {
  return readExisting(context, argument, ({ block, header }) =>
    formatData(encodeRawBlock(context.rules, { ...block, header })),
  )
}

export function getRawReceipts({ context }: MethodCall, argument: BlockArgument) {
  return readExisting(context, argument, ({ receipts }) =>
    receipts.map((receipt) => formatData(encodeReceipt(receipt))),
  )
}
