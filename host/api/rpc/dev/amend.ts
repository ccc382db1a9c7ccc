import {
  changedAccounts,
  type DevAccountChange,
  MOST_BALANCE,
  MOST_NONCE,
} from '../../../chain/dev/account-change.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { devChainOf, unsupportedArgument } from './driven.ts'

type Making = (view: AsyncStateView) => DevAccountChange | Promise<DevAccountChange>

function amend(call: MethodCall, make: Making): Promise<void> {
  const { keccak256 } = call.context
  return devChainOf(call).amend(async (view) =>
    changedAccounts(view, [await make(view)], keccak256),
  )
}

export function setBalance(call: MethodCall, address: Uint8Array, balance: bigint): Promise<void> {
  return amend(call, () => ({ address, balance }))
}

export function addBalance(call: MethodCall, address: Uint8Array, added: bigint): Promise<void> {
  return amend(call, async (view) => {
    const { balance } = decodeAccount(await view.account(address))
    if (balance + added <= MOST_BALANCE) return { address, balance: balance + added }
    throw unsupportedArgument(`a balance of ${balance} plus ${added} exceeds 256 bits`)
  })
}

export function setCode(call: MethodCall, address: Uint8Array, code: Uint8Array): Promise<void> {
  return amend(call, () => ({ address, code }))
}

export async function setNonce(
  call: MethodCall,
  address: Uint8Array,
  nonce: bigint,
): Promise<void> {
  if (nonce > MOST_NONCE)
    throw unsupportedArgument(`nonce ${nonce} is above ${MOST_NONCE} (EIP-2681)`)
  await amend(call, () => ({ address, nonce }))
}

export async function setStorageAt(
  call: MethodCall,
  address: Uint8Array,
  slot: Uint8Array,
  value: Uint8Array,
): Promise<true> {
  await amend(call, () => ({ address, storage: [{ slot, value }] }))
  return true
}
