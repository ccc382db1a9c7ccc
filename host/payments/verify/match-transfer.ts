import type { Hex } from '../../base/hex.ts'
import type { PaymentReceipt } from '../chain/payment-chain.ts'
import { isAuthorizationLog, isTransferLog } from '../chain/token-log.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

/**
 * Holds a transaction against the terms: what its logs say was moved counts, not what was called. So a transfer by a
 * contract's account, by a batch, or by `transferFrom` is a payment of the account that the tokens left; one of which
 * the token has kept a fee is none, and neither is one of a contract that only looks like the token.
 *
 * A transfer that carried out an authorization is no proof by its hash: the authorization is one already, and would
 * pay twice.
 * @returns why it is no payment
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
