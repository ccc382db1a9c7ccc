import { formatData, formatQuantity } from '../../../base/hex.ts'
import { NO_ACCOUNT } from '../../../evm/state/account.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { requireStateHeight } from '../resolve/block-lookup.ts'
import { requireImported } from '../resolve/imported.ts'

/** Returns an account as the state trie has it, or null if it does not exist. */
export function getAccount(
  { context }: MethodCall,
  address: Uint8Array,
  block: BlockArgument,
): unknown {
  const imported = requireImported(
    context,
    'storage roots are unavailable',
    'its state is not a Merkle Patricia trie',
  )
  const { account, storageRoot } = imported.prove(requireStateHeight(context, block), address, [])
  if (account === NO_ACCOUNT) return null
  return {
    balance: formatQuantity(account.balance),
    codeHash: formatData(account.codeHash),
    nonce: formatQuantity(account.nonce),
    storageRoot: formatData(storageRoot),
  }
}
