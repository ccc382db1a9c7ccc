import { formatData, formatQuantity } from '../../../base/hex.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { getTransactionByHash } from '../eth/transaction.ts'
import { completeIndex } from '../resolve/address-search.ts'
import { readBlockState } from '../resolve/block-lookup.ts'

/** Returns the results of eth_getBalance, eth_getTransactionCount and eth_getCode at once. */
export function getAccountInfo(
  { context }: MethodCall,
  address: Uint8Array,
  block: BlockArgument,
): unknown {
  return readBlockState(context, block, (view) => {
    const { balance, nonce, codeHash } = decodeAccount(view.account(address))
    return {
      balance: formatQuantity(balance),
      nonce: formatQuantity(nonce),
      code: formatData(view.code(codeHash)),
    }
  })
}

/** Returns the pending or mined transaction with a sender and nonce; null if there is none. */
export async function findPendingOrMinedByNonce(
  call: MethodCall,
  sender: Uint8Array,
  nonce: bigint,
): Promise<unknown> {
  const { chain, pool } = call.context
  const { pending, queued } = pool.of(sender)
  const waiting = [...pending, ...queued].find((transaction) => transaction.nonce === nonce)
  if (waiting !== undefined) return getTransactionByHash(call, waiting.hash)
  const index = await completeIndex(call.context)
  const place = index.byNonce(sender, nonce)
  const placed = place === undefined ? undefined : chain.receipt(place.height, place.index)
  return placed === undefined ? null : getTransactionByHash(call, placed.receipt.transactionHash)
}
