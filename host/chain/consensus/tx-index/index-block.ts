import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { ExecutedBlock } from '../../../storage/store/codec/block-record.ts'

export const ADDRESS = 20

/** What the index keeps of a block, as it goes to the thread that writes it: few arrays, whatever it holds. */
export interface IndexBlock {
  readonly height: number
  /** Of the block, by which an index of another chain is noticed. */
  readonly hash: Uint8Array
  /** The transactions one behind another, and where each ends. */
  readonly transactions: Uint8Array
  readonly ends: Uint32Array
  /** Sender and recipient of each, 40 bytes; the created contract where there is no recipient. */
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
  const parties = new Uint8Array(raws.length * 2 * ADDRESS)
  for (const [i, raw] of raws.entries()) {
    transactions.set(raw, (ends[i] as number) - raw.length)
    const receipt = receipts[i]
    if (receipt === undefined) continue
    parties.set(receipt.from, i * 2 * ADDRESS)
    const recipient = receipt.to ?? receipt.contractAddress ?? EMPTY_BYTES
    parties.set(recipient, i * 2 * ADDRESS + ADDRESS)
  }
  return { height: block.header.number, hash: block.header.hash, transactions, ends, parties }
}

/** Bytes that the block holds. */
export function sizeOf({ transactions, parties }: IndexBlock): number {
  return transactions.length + parties.length
}

/** The arrays that may change hands with the block. */
export function transferOf({ transactions, ends, parties }: IndexBlock): ArrayBuffer[] {
  return [transactions.buffer, ends.buffer, parties.buffer] as ArrayBuffer[]
}

export interface IndexedTransaction {
  readonly raw: Uint8Array
  readonly sender: Uint8Array
  readonly recipient: Uint8Array
}

/** The transactions of the block, in order. */
export function* transactionsOf(block: IndexBlock): Generator<IndexedTransaction, void> {
  let start = 0
  for (const [i, end] of block.ends.entries()) {
    const at = i * 2 * ADDRESS
    yield {
      raw: block.transactions.subarray(start, end),
      sender: block.parties.subarray(at, at + ADDRESS),
      recipient: block.parties.subarray(at + ADDRESS, at + 2 * ADDRESS),
    }
    start = end
  }
}
