import { equalBytes } from '../../../base/bytes.ts'
import { nonceIn } from '../../../evm/state/account.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { completeIndex } from '../resolve/address-search.ts'
import { pruned } from '../resolve/block-lookup.ts'
import { signedBy } from '../resolve/block-reader.ts'
import { getTransactionByHash } from './transaction.ts'

/**
 * Returns the pending or mined transaction with a sender and nonce; null if there is none. Without the address index, a
 * binary search over the nonces of the retained states finds its block, as in reth.
 */
export async function getTransactionBySenderAndNonce(
  call: MethodCall,
  sender: Uint8Array,
  nonce: bigint,
): Promise<unknown> {
  const { chain, pool, addressIndex } = call.context
  const { pending, queued } = pool.of(sender)
  const waiting = [...pending, ...queued].find((transaction) => transaction.nonce === nonce)
  if (waiting !== undefined) return getTransactionByHash(call, waiting.hash)
  if (addressIndex === undefined) return searchStates(call, sender, nonce)
  const place = (await completeIndex(call.context)).byNonce(sender, nonce)
  const placed = place === undefined ? undefined : chain.receipt(place.height, place.index)
  return placed === undefined ? null : getTransactionByHash(call, placed.receipt.transactionHash)
}

/** @throws STATE_PRUNED if the nonce was used before the earliest state */
async function searchStates(call: MethodCall, sender: Uint8Array, nonce: bigint): Promise<unknown> {
  const { chain, state } = call.context
  const isUsedAt = (height: number) => nonceIn(state.view(height).account(sender)) > nonce
  let used = chain.latest
  if (!isUsedAt(used)) return null
  let unused = Math.max(state.evmWholeFrom, chain.earliest)
  if (isUsedAt(unused)) {
    // An account of genesis may have any nonce.
    if (unused === 0) return null
    throw pruned(unused - 1, unused, used)
  }
  while (unused + 1 < used) {
    const middle = Math.floor((unused + used) / 2)
    if (isUsedAt(middle)) used = middle
    else unused = middle
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  return transactionIn(call, used, sender, nonce)
}

/** A creation or an authorization may have used the nonce instead of a transaction. */
async function transactionIn(
  call: MethodCall,
  height: number,
  sender: Uint8Array,
  nonce: bigint,
): Promise<unknown> {
  const { context } = call
  const block = context.chain.block(height)
  const receipts = context.chain.receipts(height)
  if (block === undefined || receipts === undefined) return null
  const { header } = block
  for (const [index, receipt] of receipts.entries()) {
    if (!equalBytes(receipt.from, sender)) continue
    const transaction = signedBy(context, block.transactions[index] as Uint8Array, receipt)
    if (transaction.nonce === nonce) return transactionRecord(transaction, { header, index })
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  return null
}
