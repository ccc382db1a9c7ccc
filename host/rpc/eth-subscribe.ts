import { LockstepError } from '../base/error.ts'
import { LOG_FILTER } from './log-filter.ts'
import type { RpcCall } from './method.ts'
import type { Subscriber, Topic } from './subscription-hub.ts'

function subscriberOf({ caller }: RpcCall): Subscriber {
  if (caller.subscriber !== undefined) return caller.subscriber
  throw new LockstepError('METHOD_NOT_FOUND', 'notifications not supported')
}

function topicOf(name: string, option: unknown): Topic {
  switch (name) {
    case 'newHeads':
      return { kind: 'newHeads' }
    case 'logs':
      return { kind: 'logs', filter: LOG_FILTER.decode(option ?? {}) }
    case 'newPendingTransactions':
      return { kind: 'newPendingTransactions', full: option === true }
    default:
      throw new LockstepError('METHOD_NOT_FOUND', `no "${name}" subscription in eth namespace`)
  }
}

export function subscribe(call: RpcCall, name: string, option: unknown): string {
  return call.context.subscriptions.subscribe(subscriberOf(call), topicOf(name, option))
}

export function unsubscribe(call: RpcCall, id: string): boolean {
  if (call.context.subscriptions.unsubscribe(subscriberOf(call), id)) return true
  throw new LockstepError('NOT_FOUND', 'subscription not found')
}
