import type { BroadcastAnswer } from '../../client/transaction-sender/broadcast-answer.ts'
import { WalletError } from '../protocol/wallet-error.ts'

/** Returns the error for a transaction that the chain's node rejected. */
export function broadcastRejection(
  { kind, reason }: BroadcastAnswer,
  details: Readonly<Record<string, unknown>>,
): WalletError {
  const code = kind === 'unfunded' ? 'insufficient_funds' : 'transaction_broadcast_failure'
  return new WalletError(code, `the chain rejected the transaction: ${reason}`, details)
}
