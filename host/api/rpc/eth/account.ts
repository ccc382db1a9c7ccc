import { formatData, formatQuantity } from '../../../base/hex.ts'
import { decodeAccount, NO_ACCOUNT } from '../../../evm/state/account.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall, ReadCall } from '../call/rpc-call.ts'
import { readBlockState, requireStateHeight } from '../resolve/block-lookup.ts'
import { requireImported } from '../resolve/imported.ts'
import { writtenTrie } from '../resolve/written-trie.ts'

/** Returns the results of eth_getBalance, eth_getTransactionCount and eth_getCode at once. */
export function getAccountInfo(
  { context }: ReadCall,
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

/**
 * Returns an account as a state trie has it. One that does not exist is null on an imported chain, as in reth, and empty
 * on a development chain, as in anvil.
 */
export async function getAccount(
  call: MethodCall,
  address: Uint8Array,
  block: BlockArgument,
): Promise<unknown> {
  const { dev } = call.context
  const { account, storageRoot } =
    dev === undefined
      ? proveImported(call, address, block)
      : (await writtenTrie(call, dev, block)).prove(address, [])
  if (account === NO_ACCOUNT && dev === undefined) return null
  return {
    balance: formatQuantity(account.balance),
    codeHash: formatData(account.codeHash),
    nonce: formatQuantity(account.nonce),
    storageRoot: formatData(storageRoot),
  }
}

function proveImported({ context }: MethodCall, address: Uint8Array, block: BlockArgument) {
  const imported = requireImported(
    context,
    'storage roots are unavailable',
    'its state is not a Merkle Patricia trie',
  )
  return imported.prove(requireStateHeight(context, block), address, [])
}
