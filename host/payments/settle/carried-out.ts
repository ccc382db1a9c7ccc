import type { Hex } from '../../base/hex.ts'
import type { PaymentChain, PaymentLog, PaymentReceipt } from '../chain/payment-chain.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
const AUTHORIZATION_USED: Hex = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

function topicOf(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

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
  if (!receipt.succeeded) return false
  const logs = receipt.logs.filter(({ address }) => address === terms.asset)
  const from = topicOf(proof.from)
  const at = logs.findIndex(({ topics: [event, payer, nonce] }) => {
    return event === AUTHORIZATION_USED && payer === from && nonce === proof.nonce
  })
  const transfer = at === -1 ? undefined : logs[at + 1]
  return transfer !== undefined && isTransfer(transfer, from, topicOf(terms.payTo), proof.value)
}

function isTransfer({ topics, data }: PaymentLog, from: Hex, to: Hex, value: bigint): boolean {
  const [event, sender, recipient] = topics
  if (topics.length !== 3 || event !== TRANSFER || sender !== from || recipient !== to) return false
  return data.length === 66 && BigInt(data) === value
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
    topics: [AUTHORIZATION_USED, topicOf(proof.from), proof.nonce],
    fromHeight: height > reach.blocks ? height - reach.blocks : 0n,
  })
  for (const { txHash } of used) {
    const receipt = await chain.receipt(txHash)
    if (receipt === undefined || receipt.blockTime + reach.seconds < chain.now()) continue
    if (isCarriedOut(receipt, proof, terms)) return txHash
  }
  return undefined
}
