import { WalletError } from '../protocol/wallet-error.ts'
import type { BroadcastResult } from './evm-node.ts'

/** Returns the error for a transaction that the chain's node rejected. */
export function broadcastRejection(
  { reason, isUnfunded }: Extract<BroadcastResult, { kind: 'refused' }>,
  details: Readonly<Record<string, unknown>>,
): WalletError {
  const code = isUnfunded ? 'insufficient_funds' : 'transaction_broadcast_failure'
  return new WalletError(code, `the chain rejected the transaction: ${reason}`, details)
}
