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
 * True where a transaction has carried the authorization out and its tokens went to payTo: the token's log
 * AuthorizationUsed of payer and nonce, and directly behind it among the token's logs the Transfer that it made (the
 * order of EIP-3009's own code). One that only lies in the same transaction is no proof: that may be of another
 * authorization, while this nonce was used up for nothing.
 */
export function isCarriedOut(
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

/** How far back a transaction that used an authorization is looked for. */
export interface SearchReach {
  /** Blocks. */
  readonly blocks: bigint
  /** Seconds since its block. */
  readonly seconds: bigint
}

/**
 * The transaction that has carried an authorization out for payTo, whoever sent it: an authorization is public once
 * it is in a pool, and anyone may be the first. Undefined where it was cancelled, used up for something else, or too
 * long ago.
 */
export async function findCarriedOut(
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
    if (isCarriedOut(receipt, proof, terms)) return txHash
  }
  return undefined
}
