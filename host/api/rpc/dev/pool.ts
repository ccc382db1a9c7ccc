import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { findTransaction } from '../resolve/block-reader.ts'
import { devChainOf } from './driven.ts'

/** Returns the hash as anvil does, or null if it is not pending. */
export function dropTransaction(call: MethodCall, hash: Uint8Array): string | null {
  return devChainOf(call).pool.drop(hash) ? formatData(hash) : null
}

/** Returns whether it was pending, as Hardhat does. @throws TRANSACTION_REJECTED if it is mined */
export function dropPendingTransaction(call: MethodCall, hash: Uint8Array): boolean {
  if (devChainOf(call).pool.drop(hash)) return true
  if (findTransaction(call.context, hash) === undefined) return false
  throw new LockstepError(
    'TRANSACTION_REJECTED',
    `Transaction ${formatData(hash)} cannot be dropped because it's already mined`,
    { hint: 'revert to an earlier snapshot' },
  )
}

export function dropAllTransactions(call: MethodCall): void {
  devChainOf(call).pool.dropAll()
}

export function removePoolTransactions(call: MethodCall, sender: Uint8Array): void {
  devChainOf(call).pool.dropOf(sender)
}
