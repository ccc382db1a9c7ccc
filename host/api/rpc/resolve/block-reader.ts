import { LockstepError } from '../../../base/error.ts'
import type { Block, BlockHeader } from '../../../evm/chain-types/block.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import { decodeSigned } from '../../../evm/chain-types/transaction-codec.ts'
import type { IndexedReceipt } from '../../../storage/store/chain/chain-store.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { ReadContext } from '../call/context.ts'
import { findHeight } from './block-lookup.ts'

/** A block with its receipts. */
export interface FoundBlock {
  readonly block: Block
  readonly header: BlockHeader
  readonly receipts: readonly Receipt[]
  /** True for the pending block, which has no hash yet. */
  readonly isPending?: true
}

/** A mined transaction with its receipt, read without the rest of its block. */
export interface FoundTransaction extends IndexedReceipt {
  readonly header: BlockHeader
  readonly index: number
}

/** Returns the header of a block, or undefined if it does not exist. @throws STATE_PRUNED */
export function findHeader(context: ReadContext, argument: BlockArgument): BlockHeader | undefined {
  const height = findHeight(context, argument)
  return height === undefined ? undefined : context.chain.header(height)
}

/** Returns a block, or undefined if it does not exist. @throws STATE_PRUNED */
export function findBlock(context: ReadContext, argument: BlockArgument): FoundBlock | undefined {
  const height = findHeight(context, argument)
  return height === undefined ? undefined : blockAt(context, height)
}

/** Reads a block, or undefined: synchronously, except that the pending block must first be executed. @throws STATE_PRUNED */
export function readBlock<Result>(
  context: ReadContext,
  argument: BlockArgument,
  read: (found: FoundBlock | undefined) => Result,
): Result | Promise<Result> {
  if (argument.kind !== 'pending') return read(findBlock(context, argument))
  return context.pendingBlocks
    .latest()
    .then(({ block, receipts }) => read({ block, header: block.header, receipts, isPending: true }))
}

function blockAt(context: ReadContext, height: number): FoundBlock | undefined {
  const block = context.chain.block(height)
  const receipts = context.chain.receipts(height)
  if (block === undefined || receipts === undefined) return undefined
  return { block, header: block.header, receipts }
}

/** Returns a mined transaction by hash, or undefined. */
export function findTransaction(
  { chain }: ReadContext,
  hash: Uint8Array,
): FoundTransaction | undefined {
  const location = chain.locate(hash)
  if (location === undefined) return undefined
  const { height, index } = location
  const header = chain.header(height)
  const placed = chain.receipt(height, index)
  return header && placed && { ...placed, header, index }
}

/** Returns the signed transaction in network encoding. */
export function rawTransaction({ chain }: ReadContext, found: FoundTransaction): Uint8Array {
  return chain.transaction(found.header.number, found.index) as Uint8Array
}

/** Decodes a transaction with the sender from its receipt, which avoids recovering it. */
export function signedBy(
  { keccak256 }: ReadContext,
  raw: Uint8Array,
  { from }: Receipt,
): Transaction {
  return { ...decodeSigned(raw, keccak256), from }
}

/** Returns a transaction of a block. */
export function transactionAt(context: ReadContext, found: FoundBlock, index: number): Transaction {
  const raw = found.block.transactions[index] as Uint8Array
  return signedBy(context, raw, found.receipts[index] as Receipt)
}

/** Returns the height and index of a mined transaction. @throws NOT_FOUND */
export function locate({ chain }: ReadContext, hash: Uint8Array) {
  const location = chain.locate(hash)
  if (location === undefined) throw new LockstepError('NOT_FOUND', 'transaction not found')
  return location
}
