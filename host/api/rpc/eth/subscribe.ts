import { LockstepError } from '../../../base/error.ts'
import { LOG_FILTER } from '../argument/log-filter.ts'
import { asObject, HASHES, member, type ParamType } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import type { NotificationSink, SubscriptionTopic } from '../subscription/subscription-hub.ts'

/** @throws METHOD_NOT_FOUND if the transport does not support notifications */
export function subscriberOf({ caller }: MethodCall): NotificationSink {
  if (caller.subscriber !== undefined) return caller.subscriber
  throw new LockstepError('METHOD_NOT_FOUND', 'notifications not supported')
}

/** geth's maximum hashes of a subscription to receipts. */
const MAX_HASHES = 200

const RECEIPT_HASHES: ParamType<readonly Uint8Array[]> = {
  label: 'receipt filter',
  decode: (value) => {
    const hashes = member(asObject(value, 'a receipt filter'), 'transactionHashes', HASHES) ?? []
    if (hashes.length <= MAX_HASHES) return hashes
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      'exceed max number of transaction hashes allowed per transactionReceipts subscription',
    )
  },
}

function topicOf(name: string, option: unknown): SubscriptionTopic {
  switch (name) {
    case 'newHeads':
      return { kind: 'newHeads' }
    case 'logs':
      return { kind: 'logs', filter: LOG_FILTER.decode(option ?? {}) }
    case 'newPendingTransactions':
      return { kind: 'newPendingTransactions', full: option === true }
    case 'transactionReceipts':
      return { kind: 'transactionReceipts', hashes: RECEIPT_HASHES.decode(option ?? {}) }
    case 'syncing':
      return { kind: 'syncing' }
    default:
      throw new LockstepError('METHOD_NOT_FOUND', `no "${name}" subscription in eth namespace`)
  }
}

export function ethSubscribe(call: MethodCall, name: string, option: unknown): string {
  return call.context.subscriptions.subscribe(subscriberOf(call), topicOf(name, option))
}

export function ethUnsubscribe(call: MethodCall, id: string): boolean {
  const { subscriber } = call.caller
  if (subscriber !== undefined && call.context.subscriptions.unsubscribe(subscriber, id))
    return true
  throw new LockstepError('NOT_FOUND', 'subscription not found')
}
