import { formatData, formatQuantity } from '../../base/hex.ts'
import type { BlockHeader } from '../../chain-types/block.ts'

/** Keccak-256 of the RLP of no uncles: there never are any. */
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

/** A header as the newHeads subscription shows it. */
export function headerRecord(header: BlockHeader): Record<string, unknown> {
  return {
    number: formatQuantity(header.number),
    hash: formatData(header.hash),
    parentHash: formatData(header.parentHash),
    nonce: '0x0000000000000000',
    mixHash: formatData(header.prevRandao),
    sha3Uncles: NO_UNCLES,
    logsBloom: formatData(header.logsBloom),
    stateRoot: formatData(header.stateRoot),
    transactionsRoot: formatData(header.transactionsRoot),
    receiptsRoot: formatData(header.receiptsRoot),
    miner: formatData(header.miner),
    difficulty: '0x0',
    extraData: '0x',
    gasLimit: formatQuantity(header.gasLimit),
    gasUsed: formatQuantity(header.gasUsed),
    timestamp: formatQuantity(header.timestamp),
    baseFeePerGas: formatQuantity(header.baseFeePerGas),
  }
}

/** A block; `transactions` are hashes or transaction records. */
export function blockRecord(
  header: BlockHeader,
  transactions: readonly unknown[],
): Record<string, unknown> {
  return {
    ...headerRecord(header),
    totalDifficulty: '0x0',
    size: formatQuantity(header.size),
    uncles: [],
    transactions,
  }
}
