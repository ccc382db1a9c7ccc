import { LockstepError } from '../../../base/error.ts'
import type { RouteArguments } from './arguments.ts'
import type { RouteCaller, Subscriptions } from './context.ts'
import type { RpcId } from './response.ts'

function subscriptionsOf({ subscriptions }: RouteCaller): Subscriptions {
  if (subscriptions === undefined) {
    throw new LockstepError('METHOD_NOT_FOUND', 'subscriptions are available only over /websocket')
  }
  return subscriptions
}

/** Handles /subscribe: the events carry the id of this request. */
export async function subscribeToEvents(
  _context: unknown,
  args: RouteArguments,
  caller: RouteCaller,
  id: RpcId,
): Promise<object> {
  await subscriptionsOf(caller).subscribe(args.text('query'), id)
  return {}
}

export function unsubscribeFromEvents(
  _context: unknown,
  args: RouteArguments,
  caller: RouteCaller,
): object {
  subscriptionsOf(caller).unsubscribe(args.text('query'))
  return {}
}

export function unsubscribeAll(
  _context: unknown,
  _args: RouteArguments,
  caller: RouteCaller,
): object {
  subscriptionsOf(caller).unsubscribeAll()
  return {}
}
