import { LockstepError } from '../../../host/base/error.ts'
import type { Transaction } from '../../../host/evm/chain-types/transaction.ts'
import type { BlockEngine } from '../../../host/evm/execute/block-engine.ts'

/** Returns an `executeBatch` that the transactions of `isFatal` exhaust. */
export function fragileBatch(
  engine: BlockEngine,
  isFatal: (transaction: Transaction) => boolean,
): BlockEngine['executeBatch'] {
  return function* (transactions) {
    const at = transactions.findIndex(isFatal)
    if (at < 0) return yield* engine.executeBatch(transactions)
    const outcome = yield* engine.executeBatch(transactions.slice(0, at))
    return { ...outcome, fault: new LockstepError('ENGINE_FAULT', 'the engine ran out of memory') }
  }
}
