import { LockstepError } from '../../../base/error.ts'
import { nonceIn } from '../../../evm/state/account.ts'
import type { Storage } from '../../../storage/store/storage.ts'
import { addEach, type TransactionPool } from './transaction-pool.ts'

const NO_SENDER = {}

/** Returns the pool of a node that makes no blocks. It rejects every transaction with the reason. */
export function closedPool(
  { chain, state }: Storage,
  refusal: { readonly message: string; readonly hint: string },
): TransactionPool {
  const { message, hint } = refusal
  const refuse = async (): Promise<never> => {
    throw new LockstepError('UNSUPPORTED', message, { hint })
  }
  return {
    add: refuse,
    addAll: (submissions) => addEach({ add: refuse }, submissions),
    check: refuse,
    get: () => undefined,
    nextNonce: (sender) => nonceIn(state.view(chain.latest).account(sender)),
    version: 0,
    candidates: () => ({
      peek: () => undefined,
      take: () => NO_SENDER,
      drop: () => {},
      skip: () => {},
    }),
    counts: { pending: 0, queued: 0 },
    of: () => ({ pending: [], queued: [] }),
    pending: () => [],
    queued: () => [],
    onPending: () => () => {},
  }
}
