import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { ReadContext } from '../call/context.ts'
import { RawJson } from '../call/result.ts'
import type { ReadCall } from '../call/rpc-call.ts'
import { blockRecord } from '../format/block-record.ts'
import { RpcJsonWriter } from '../format/json-writer.ts'
import { type ReceiptPosition, receiptTexts } from '../format/receipt-record.ts'
import { arrayTexts, joinedTexts, jsonPieces, objectTexts } from './json-pieces.ts'

const HASH = 32

/** Transactions of a block that are encoded without yielding. */
const AT_ONCE = 16

/**
 * Returns the JSON of a block with its transaction hashes, without decoding the transactions; undefined if the block
 * does not exist.
 */
export function hashedBlock(
  { chain, rules, keccak256 }: ReadContext,
  header: BlockHeader,
): string | undefined {
  const hashes = chain.transactionHashes(header.number)
  if (hashes === undefined) return undefined
  const writer = new RpcJsonWriter()
  writer.dataList(hashes, HASH)
  const record = blockRecord(header, [], chain.body(header.number), rules, keccak256)
  const members = Object.entries(record).map(([name, value]): [string, Iterable<string>] => [
    name,
    [name === 'transactions' ? writer.takeText() : JSON.stringify(value)],
  ])
  return [...objectTexts(members)].join('')
}

/** Returns a block with full transactions, streamed if there are many. */
export function fullBlock(
  call: ReadCall,
  count: number,
  show: (index: number) => unknown,
  record: (transactions: readonly unknown[]) => object,
): unknown {
  if (count <= AT_ONCE) return record(Array.from({ length: count }, (_, index) => show(index)))
  const members = Object.entries(record([])).map(([name, value]): [string, Iterable<string>] => [
    name,
    name === 'transactions' ? arrayTexts(shown(count, show)) : [JSON.stringify(value)],
  ])
  return jsonPieces(call, objectTexts(members))
}

/** Returns the receipts of a block, streamed if there are many. */
export function allReceipts(
  call: ReadCall,
  count: number,
  receipts: Iterable<Receipt>,
  block: Pick<ReceiptPosition, 'header' | 'isPending'>,
): unknown {
  const texts = receiptTexts(receipts, block)
  if (count <= AT_ONCE) return new RawJson(`[${[...texts].join(',')}]`)
  return jsonPieces(call, joinedTexts(texts))
}

function* shown(count: number, show: (index: number) => unknown): Generator<unknown> {
  for (let index = 0; index < count; index++) yield show(index)
}
