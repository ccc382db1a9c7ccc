import type { CheckTxRequest, CheckTxResponse } from './messages.ts'

/** Which transactions CometBFT's pool keeps and hands on. */
export interface TransactionGate {
  /**
   * Answers in any order: CometBFT has thousands on their way, and is given the answers in the order of its
   * requests. Rejects only where the node cannot go on: that ends CometBFT.
   */
  check(request: CheckTxRequest): Promise<CheckTxResponse>
}
