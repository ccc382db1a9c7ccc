/** Limits on the filters and subscriptions of clients. */
export interface RpcSubscriptionLimits {
  /** Maximum filters of all clients; adding one more removes the least recently polled one. */
  readonly filters: number
  /** Milliseconds without a poll after which a filter is removed. */
  readonly filterIdleMs: number
  /** Maximum newHeads subscriptions of all clients; the same limit applies to newPendingTransactions and to syncing. */
  readonly headSubscriptions: number
  /** Maximum logs subscriptions of all clients; the same limit applies to transactionReceipts. */
  readonly logSubscriptions: number
  /** Maximum subscriptions of one connection. */
  readonly connectionSubscriptions: number
}
