import { LockstepError } from '../../base/error.ts'
import type { Arguments } from './arguments.ts'
import type { ConsensusRpcContext, RouteCaller, Subscriptions } from './context.ts'
import type { RpcId } from './response.ts'

function subscriptionsOf({ subscriptions }: RouteCaller): Subscriptions {
  if (subscriptions === undefined) {
    throw new LockstepError('METHOD_NOT_FOUND', 'subscriptions are served over /websocket alone')
  }
  return subscriptions
}

/** /subscribe: the events that follow carry the id of this request. */
export function subscribe(
  _context: ConsensusRpcContext,
  args: Arguments,
  caller: RouteCaller,
  id: RpcId,
): object {
  subscriptionsOf(caller).subscribe(args.text('query'), id)
  return {}
}

export function unsubscribe(
  _context: ConsensusRpcContext,
  args: Arguments,
  caller: RouteCaller,
): object {
  subscriptionsOf(caller).unsubscribe(args.text('query'))
  return {}
}

export function unsubscribeAll(
  _context: ConsensusRpcContext,
  _args: Arguments,
  caller: RouteCaller,
): object {
  subscriptionsOf(caller).unsubscribeAll()
  return {}
}
