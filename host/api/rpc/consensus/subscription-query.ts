import { LockstepError } from '../../../base/error.ts'
import { EventQuery } from '../../../chain/consensus/events/event-query.ts'

// Validation of subscriptions, with CometBFT's messages.

/** @throws QUERY_INVALID */
export function parseSubscription(text: string): EventQuery {
  try {
    return new EventQuery(text)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    throw new LockstepError('QUERY_INVALID', `failed to parse query: ${thrown.message}`)
  }
}

export function tooManySubscriptions(perClient: number): LockstepError {
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `max_subscriptions_per_client ${perClient} reached: unsubscribe first, or raise rpc.max-subscriptions-per-client`,
  )
}

export function alreadySubscribed(): LockstepError {
  return new LockstepError('LIMIT_EXCEEDED', 'already subscribed')
}

export function notSubscribed(): LockstepError {
  return new LockstepError('NOT_FOUND', 'subscription not found')
}
