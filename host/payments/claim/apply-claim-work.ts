import { LockstepError } from '../../base/error.ts'
import { toPlainError } from '../../base/plain-error.ts'
import type { ClaimDone, ClaimWork } from './claim-messages.ts'
import type { ClaimSteps } from './claim-steps.ts'

function apply(steps: ClaimSteps, work: ClaimWork): ClaimDone {
  switch (work.kind) {
    case 'claim':
      return { outcome: steps.claim(work.key, work.facts, work.maxAttempts, Date.now()) }
    case 'obstacle':
      return steps.obstacle(work.key, work.facts)
    case 'settling':
      steps.settling(work.key, work.txHash)
      return {}
    case 'settled':
      steps.settled(work.key, work.txHash)
      return {}
    case 'delivered':
      steps.delivered(work.key, Date.now())
      return {}
    case 'describe':
      steps.describe(work.chainId, work.asset, work.unit)
      return {}
    case 'removed':
      steps.removed(work.chainId, work.txHashes)
      return {}
    case 'release':
      steps.release(work.key)
      return {}
    case 'failed':
      steps.failed(work.key)
      return {}
  }
}

/**
 * Makes one change inside a transaction. An unreadable row fails its own caller only; a failed write rolls back the
 * transaction.
 */
export function applyClaimWork(steps: ClaimSteps, work: ClaimWork): ClaimDone {
  try {
    return apply(steps, work)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    return { error: toPlainError(thrown) }
  }
}
