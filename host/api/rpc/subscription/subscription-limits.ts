/** The most that clients who poll or subscribe may keep in the node. */
export interface SubscriptionLimits {
  /** Filters of all clients; one more removes the filter that nobody has asked for longest. */
  readonly filters: number
  /** A filter that nobody asks for this long is removed. */
  readonly filterIdleMs: number
  /** Subscriptions of all clients to newHeads; as many to newPendingTransactions, and to syncing. */
  readonly headSubscriptions: number
  /** Subscriptions of all clients to logs; as many to transactionReceipts. */
  readonly logSubscriptions: number
  /** Subscriptions of one connection. */
  readonly connectionSubscriptions: number
}
