import type { CheckTxRequest, CheckTxResponse } from './messages.ts'

/** Decides which transactions CometBFT's mempool accepts and gossips. */
export interface TransactionGate {
  /**
   * Checks a transaction. CometBFT has thousands of checks in flight; they may complete in any order, since the
   * connection orders the responses. Rejects only if the node cannot continue: that ends CometBFT.
   */
  check(request: CheckTxRequest): Promise<CheckTxResponse>
}
