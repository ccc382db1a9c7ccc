import type { Hex } from '../../base/hex.ts'
import type { PaymentChain, PaymentReceipt } from '../chain/payment-chain.ts'
import {
  AUTHORIZATION_USED,
  addressTopic,
  isAuthorizationLog,
  isTransferLog,
} from '../chain/token-log.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

/**
 * Returns whether a transaction executed the authorization and paid payTo. It requires the token's log
 * AuthorizationUsed of payer and nonce, directly followed among the token's logs by its Transfer (the order of
 * EIP-3009's own code). A Transfer elsewhere in the transaction proves nothing: it may belong to another
 * authorization.
 */
export function isAuthorizationExecuted(
  receipt: PaymentReceipt,
  proof: AuthorizationProof,
  terms: PaymentTerms,
): boolean {
  const { from, nonce, value: amount } = proof
  const { asset, payTo: to } = terms
  if (!receipt.succeeded) return false
  const logs = receipt.logs.filter(({ address }) => address === asset)
  const at = logs.findIndex((log) => isAuthorizationLog(log, asset, from, nonce))
  const transfer = at === -1 ? undefined : logs[at + 1]
  return transfer !== undefined && isTransferLog(transfer, { asset, from, to, amount })
}

/** How far back to search for a transaction that used an authorization. */
export interface SearchReach {
  /** Maximum blocks. */
  readonly blocks: bigint
  /** Maximum age of the block, seconds. */
  readonly seconds: bigint
}

/**
 * Finds the transaction that executed an authorization for payTo, whoever sent it: once in a pool, an authorization
 * is public, and anyone may send it first. Returns undefined if it was cancelled, used for something else, or is too
 * old.
 */
export async function findExecution(
  chain: PaymentChain,
  proof: AuthorizationProof,
  terms: PaymentTerms,
  reach: SearchReach,
): Promise<Hex | undefined> {
  const height = await chain.height()
  const used = await chain.logs({
    address: terms.asset,
    topics: [AUTHORIZATION_USED, addressTopic(proof.from), proof.nonce],
    fromHeight: height > reach.blocks ? height - reach.blocks : 0n,
  })
  for (const { txHash } of used) {
    const receipt = await chain.receipt(txHash)
    if (receipt === undefined || receipt.blockTime + reach.seconds < chain.now()) continue
    if (isAuthorizationExecuted(receipt, proof, terms)) return txHash
  }
  return undefined
}
