import { formatData, formatQuantity } from '../base/hex.ts'
import { decodeAccount } from '../state/account.ts'
import type { BlockArgument } from './block-argument.ts'
import { stateAt } from './block-lookup.ts'
import type { RpcCall } from './method.ts'

const ZERO_WORD = `0x${'0'.repeat(64)}`

export function getBalance({ context }: RpcCall, address: Uint8Array, block: BlockArgument) {
  return formatQuantity(decodeAccount(stateAt(context, block).account(address)).balance)
}

/** With `pending`, the transactions of the pool count too. */
export function getTransactionCount(
  { context }: RpcCall,
  address: Uint8Array,
  block: BlockArgument,
) {
  if (block.kind === 'pending') return formatQuantity(context.pool.nextNonce(address))
  return formatQuantity(decodeAccount(stateAt(context, block).account(address)).nonce)
}

export function getCode({ context }: RpcCall, address: Uint8Array, block: BlockArgument) {
  const view = stateAt(context, block)
  const record = view.account(address)
  if (record === undefined) return '0x'
  return formatData(view.code(decodeAccount(record).codeHash))
}

export function getStorageAt(
  { context }: RpcCall,
  address: Uint8Array,
  slot: Uint8Array,
  block: BlockArgument,
) {
  const value = stateAt(context, block).storage(address, slot)
  return value === undefined ? ZERO_WORD : formatData(value)
}
