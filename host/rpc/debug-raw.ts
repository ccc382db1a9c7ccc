import { LockstepError } from '../base/error.ts'
import { formatData } from '../base/hex.ts'
import type { BlockHeader } from '../chain-types/block.ts'
import { encodeBlock } from '../chain-types/ethereum-block.ts'
import { type EthereumHeader, encodeHeader } from '../chain-types/ethereum-header.ts'
import { encodeReceipt } from '../chain-types/receipt-encoding.ts'
import { ownHeader } from '../execute/own-header.ts'
import type { BlockArgument } from './block-argument.ts'
import { type FoundBlock, findBlock } from './block-reader.ts'
import type { RpcContext } from './context.ts'
import type { RpcCall } from './method.ts'

/** @throws NOT_FOUND, STATE_PRUNED */
function requireBlock(context: RpcContext, argument: BlockArgument): FoundBlock {
  const found = findBlock(context, argument)
  if (found === undefined) throw new LockstepError('NOT_FOUND', 'block not found')
  return found
}

/** The header as Ethereum encodes it. That of this node's own chain is the one its record describes. */
function rawHeader(header: BlockHeader): EthereumHeader {
  return header.ethereum?.header ?? ownHeader(header)
}

export function getRawHeader({ context }: RpcCall, argument: BlockArgument): string {
  return formatData(encodeHeader(rawHeader(requireBlock(context, argument).header)))
}

export function getRawBlock({ context }: RpcCall, argument: BlockArgument): string {
  const { block, header } = requireBlock(context, argument)
  const body = block.ethereum ?? { ommers: [], withdrawals: undefined }
  return formatData(encodeBlock(rawHeader(header), block.transactions, body))
}

export function getRawReceipts({ context }: RpcCall, argument: BlockArgument): string[] {
  return requireBlock(context, argument).receipts.map((receipt) =>
    formatData(encodeReceipt(receipt)),
  )
}
