import type { Block } from '../../../evm/chain-types/block.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import type { ExecutedBlock, PackedExecution } from './block-record.ts'
import { countReceipts, decodeReceipts } from './receipt-codec.ts'

const HASH = 32

/**
 * Returns a block whose hashes and receipts execution has packed. They are decoded at the first access.
 * @param execution - Its receipts follow one another, without their number.
 */
export function packedBlock(block: Block, execution: PackedExecution): ExecutedBlock {
  const { hashes } = execution
  const packed = {
    hashes,
    receipts: countReceipts(hashes.length / HASH, execution.receipts),
  }
  let decoded: readonly Receipt[] | undefined
  return {
    block,
    packed,
    get transactionHashes() {
      return block.transactions.map((_, i) => hashes.subarray(i * HASH, (i + 1) * HASH))
    },
    get receipts() {
      decoded ??= decodeReceipts(packed.receipts)
      return decoded
    },
  }
}
