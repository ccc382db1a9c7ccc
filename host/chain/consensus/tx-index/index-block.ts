import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { ExecutedBlock } from '../../../storage/store/codec/block-record.ts'

export const INDEX_ADDRESS_BYTES = 20

/** The indexed data of a block, packed into few arrays for transfer to the index thread. */
export interface IndexBlock {
  readonly height: number
  /** Hash of the block, which reveals an index of another chain. */
  readonly hash: Uint8Array
  /** Concatenated transactions, and the end offset of each. */
  readonly transactions: Uint8Array
  readonly ends: Uint32Array
  /** Sender and recipient of each transaction, 40 bytes; the created contract if there is no recipient. */
  readonly parties: Uint8Array
}

export function indexBlockOf({
  block,
  receipts,
}: Pick<ExecutedBlock, 'block' | 'receipts'>): IndexBlock {
  const raws = block.transactions
  const ends = new Uint32Array(raws.length)
  let length = 0
  for (const [i, raw] of raws.entries()) {
    length += raw.length
    ends[i] = length
  }
  const transactions = new Uint8Array(length)
  const parties = new Uint8Array(raws.length * 2 * INDEX_ADDRESS_BYTES)
  for (const [i, raw] of raws.entries()) {
    transactions.set(raw, (ends[i] as number) - raw.length)
    const receipt = receipts[i]
    if (receipt === undefined) continue
    parties.set(receipt.from, i * 2 * INDEX_ADDRESS_BYTES)
    const recipient = receipt.to ?? receipt.contractAddress ?? EMPTY_BYTES
    parties.set(recipient, i * 2 * INDEX_ADDRESS_BYTES + INDEX_ADDRESS_BYTES)
  }
  return { height: block.header.number, hash: block.header.hash, transactions, ends, parties }
}

/** Returns the size of the block's data in bytes. */
export function sizeOf({ transactions, parties }: IndexBlock): number {
  return transactions.length + parties.length
}

/** Returns the array buffers to transfer with the block. */
export function transferOf({ transactions, ends, parties }: IndexBlock): ArrayBuffer[] {
  return [transactions.buffer, ends.buffer, parties.buffer] as ArrayBuffer[]
}

export interface IndexedTransaction {
  readonly raw: Uint8Array
  readonly sender: Uint8Array
  readonly recipient: Uint8Array
}

/** Yields the transactions of the block, in order. */
export function* transactionsOf(block: IndexBlock): Generator<IndexedTransaction, void> {
  let start = 0
  for (const [i, end] of block.ends.entries()) {
    const at = i * 2 * INDEX_ADDRESS_BYTES
    yield {
      raw: block.transactions.subarray(start, end),
      sender: block.parties.subarray(at, at + INDEX_ADDRESS_BYTES),
      recipient: block.parties.subarray(at + INDEX_ADDRESS_BYTES, at + 2 * INDEX_ADDRESS_BYTES),
    }
    start = end
  }
}
