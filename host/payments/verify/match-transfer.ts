import type { Hex } from '../../base/hex.ts'
import type { PaymentReceipt } from '../chain/payment-chain.ts'
import { isAuthorizationLog, isTransferLog } from '../chain/token-log.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

/**
 * Checks a transaction against the terms by its logs, not its calldata. A transfer by a contract account, a batch or
 * `transferFrom` therefore counts as a payment of the account that the tokens left. A transfer reduced by a token fee
 * does not count, nor does one of a look-alike contract. A transfer that executed an authorization is no proof by its
 * hash: the authorization is a proof already, and would pay twice.
 * @returns the reason if it is not the payment
 */
export function matchTransfer(
  receipt: PaymentReceipt,
  from: Hex,
  { asset, payTo, amount }: PaymentTerms,
): InvalidReason | undefined {
  if (!receipt.succeeded) return 'invalid_transaction_state'
  const transfer = { asset, from, to: payTo, amount }
  const found = receipt.logs.filter((log) => isTransferLog(log, transfer))
  if (found.length === 0) return 'transfer_missing'
  if (receipt.logs.some((log) => isAuthorizationLog(log, asset, from))) {
    return 'transfer_by_authorization'
  }
  return found.length === 1 ? undefined : 'transfer_ambiguous'
}
