import { LockstepError } from '../../../base/error.ts'
import type { Arguments } from './arguments.ts'
import type { RouteCaller, Subscriptions } from './context.ts'
import type { RpcId } from './response.ts'

function subscriptionsOf({ subscriptions }: RouteCaller): Subscriptions {
  if (subscriptions === undefined) {
    throw new LockstepError('METHOD_NOT_FOUND', 'subscriptions are available only over /websocket')
  }
  return subscriptions
}

/** Handles /subscribe: the events carry the id of this request. */
export async function subscribe(
  _context: unknown,
  args: Arguments,
  caller: RouteCaller,
  id: RpcId,
): Promise<object> {
  await subscriptionsOf(caller).subscribe(args.text('query'), id)
  return {}
}

export function unsubscribe(_context: unknown, args: Arguments, caller: RouteCaller): object {
  subscriptionsOf(caller).unsubscribe(args.text('query'))
  return {}
}

export function unsubscribeAll(_context: unknown, _args: Arguments, caller: RouteCaller): object {
  subscriptionsOf(caller).unsubscribeAll()
  return {}
}
