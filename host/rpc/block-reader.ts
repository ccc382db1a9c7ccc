import type { Block, BlockHeader } from '../chain-types/block.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import { decodeSigned } from '../chain-types/transaction-codec.ts'
import type { BlockArgument } from './block-argument.ts'
import { findHeight } from './block-lookup.ts'
import type { RpcContext } from './context.ts'

/** A block with its receipts. */
export interface FoundBlock {
  readonly block: Block
  readonly header: BlockHeader
  readonly receipts: readonly Receipt[]
}

/** A mined transaction in its block. */
export interface FoundTransaction extends FoundBlock {
  readonly index: number
}

/** The header alone, or undefined where there is no such block. @throws STATE_PRUNED */
export function findHeader(context: RpcContext, argument: BlockArgument): BlockHeader | undefined {
  const height = findHeight(context, argument)
  return height === undefined ? undefined : context.chain.header(height)
}

/** Undefined where there is no such block. @throws STATE_PRUNED */
export function findBlock(context: RpcContext, argument: BlockArgument): FoundBlock | undefined {
  const height = findHeight(context, argument)
  return height === undefined ? undefined : blockAt(context, height)
}

function blockAt(context: RpcContext, height: number): FoundBlock | undefined {
  const block = context.chain.block(height)
  const receipts = context.chain.receipts(height)
  if (block === undefined || receipts === undefined) return undefined
  return { block, header: block.header, receipts }
}

/** A mined transaction by its hash. */
export function findTransaction(context: RpcContext, hash: Uint8Array) {
  const location = context.chain.locate(hash)
  if (location === undefined) return undefined
  const found = blockAt(context, location.height)
  return found === undefined ? undefined : { ...found, index: location.index }
}

/** A transaction of a block; its sender is known from the receipt and need not be recovered. */
export function transactionAt(context: RpcContext, found: FoundBlock, index: number): Transaction {
  const raw = found.block.transactions[index] as Uint8Array
  const { from } = found.receipts[index] as Receipt
  return { ...decodeSigned(raw, context.keccak256), from }
}
