import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { findTransaction } from '../resolve/block-reader.ts'
import { driven } from './driven.ts'

/** anvil's answer: its hash, or null where it does not wait. */
export function dropTransaction(call: RpcCall, hash: Uint8Array): string | null {
  return driven(call).pool.drop(hash) ? formatData(hash) : null
}

/** Hardhat's answer: whether it did wait. @throws TRANSACTION_REJECTED for one that is mined */
export function dropWaiting(call: RpcCall, hash: Uint8Array): boolean {
  if (driven(call).pool.drop(hash)) return true
  if (findTransaction(call.context, hash) === undefined) return false
  throw new LockstepError(
    'TRANSACTION_REJECTED',
    `Transaction ${formatData(hash)} cannot be dropped because it's already mined`,
    { hint: 'go back to a snapshot from before' },
  )
}

export function dropAllTransactions(call: RpcCall): void {
  driven(call).pool.dropAll()
}

export function removePoolTransactions(call: RpcCall, sender: Uint8Array): void {
  driven(call).pool.dropOf(sender)
}
