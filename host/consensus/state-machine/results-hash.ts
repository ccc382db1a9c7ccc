import { keccak_256 } from '@noble/hashes/sha3.js'
import { LockstepError } from '../../base/error.ts'
import { encodeReceipt } from '../../chain-types/receipt.ts'
import { decodeSigned } from '../../chain-types/transaction-codec.ts'
import type { ChainStore } from '../../store/chain/chain-store.ts'
import type { TxResult } from '../application.ts'
import { hashResults } from '../comet/block-results.ts'

/**
 * Root over the results of a stored block: the last results hash of the next header. Headers that 0.1.0 wrote lack it,
 * and so does block 0; there every transaction of a block has run, and the results follow from the receipts.
 * @throws CONSENSUS_FAILURE where the block is not stored
 */
export function resultsHashOf(
  chain: Pick<ChainStore, 'header' | 'block' | 'receipts'>,
  height: number,
): Uint8Array {
  const header = chain.header(height)
  if (header?.resultsHash !== undefined) return header.resultsHash
  const transactions = chain.block(height)?.transactions
  const receipts = chain.receipts(height)
  if (transactions === undefined || receipts?.length !== transactions.length) {
    throw new LockstepError(
      'CONSENSUS_FAILURE',
      `the results of block ${height} are not stored, and the header after it states their hash`,
    )
  }
  return hashResults(
    receipts.map((receipt, i): TxResult => {
      const raw = transactions[i] as Uint8Array
      const { gas } = decodeSigned(raw, () => receipt.transactionHash)
      return {
        code: receipt.status === 1 ? 0 : 1,
        data: keccak_256(encodeReceipt(receipt)),
        gasWanted: gas,
        gasUsed: receipt.gasUsed,
      }
    }),
  )
}
