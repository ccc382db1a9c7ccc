import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { ExecutedTransactions } from '../../../evm/execute/lockstep/block.ts'
import { decodeBlockResults, encodeBlockResults } from '../comet/block-results.ts'

/** A transaction of a block; undefined if it cannot be valid on this chain. */
export type Resolved = Transaction | undefined

/**
 * Returns one result per transaction of the block, as they are stored. Those that did not run have used no gas.
 */
export function resultsOf(
  resolved: readonly Resolved[],
  { included, results, exclusions }: ExecutedTransactions,
): Uint8Array {
  if (included.length === resolved.length) return results
  const executed = decodeBlockResults(results)
  let run = 0
  let kept = 0
  return encodeBlockResults(
    resolved.map((transaction) => {
      const isIncluded = transaction !== undefined && exclusions[run++] === undefined
      const result = isIncluded ? executed[kept++] : undefined
      return (
        result ?? { code: 1, data: EMPTY_BYTES, gasWanted: transaction?.gas ?? 0n, gasUsed: 0n }
      )
    }),
  )
}
