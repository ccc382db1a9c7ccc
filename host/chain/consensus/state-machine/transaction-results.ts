import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { ExecutedTransactions, Included } from '../../../evm/execute/lockstep/block.ts'
import type { TxResult } from '../application.ts'

/** A transaction of a block; undefined if it cannot be valid on this chain. */
export type Resolved = Transaction | undefined

export function succeededOrFailed({ transaction, receipt, receiptHash }: Included): TxResult {
  return {
    code: receipt.status === 1 ? 0 : 1,
    data: receiptHash,
    gasWanted: transaction.gas,
    gasUsed: receipt.gasUsed,
  }
}

/** Returns one result per transaction of the block. Those that did not run have used no gas. */
export function resultsOf(
  resolved: readonly Resolved[],
  { included, exclusions }: ExecutedTransactions,
): TxResult[] {
  let run = 0
  let kept = 0
  return resolved.map((transaction) => {
    if (transaction !== undefined && exclusions[run++] === undefined) {
      return succeededOrFailed(included[kept++] as Included)
    }
    return { code: 1, data: EMPTY_BYTES, gasWanted: transaction?.gas ?? 0n, gasUsed: 0n }
  })
}
