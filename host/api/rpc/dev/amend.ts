import {
  type AccountChange,
  changedAccounts,
  MOST_BALANCE,
  MOST_NONCE,
} from '../../../chain/dev/account-change.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { driven, unfit } from './driven.ts'

type Making = (view: AsyncStateView) => AccountChange | Promise<AccountChange>

function amend(call: RpcCall, make: Making): Promise<void> {
  const { keccak256 } = call.context
  return driven(call).amend(async (view) => changedAccounts(view, [await make(view)], keccak256))
}

export function setBalance(call: RpcCall, address: Uint8Array, balance: bigint): Promise<void> {
  return amend(call, () => ({ address, balance }))
}

export function addBalance(call: RpcCall, address: Uint8Array, added: bigint): Promise<void> {
  return amend(call, async (view) => {
    const { balance } = decodeAccount(await view.account(address))
    if (balance + added <= MOST_BALANCE) return { address, balance: balance + added }
    throw unfit(`a balance of ${balance} plus ${added} exceeds 256 bits`)
  })
}

export function setCode(call: RpcCall, address: Uint8Array, code: Uint8Array): Promise<void> {
  return amend(call, () => ({ address, code }))
}

export async function setNonce(call: RpcCall, address: Uint8Array, nonce: bigint): Promise<void> {
  if (nonce > MOST_NONCE) throw unfit(`nonce ${nonce} is above ${MOST_NONCE} (EIP-2681)`)
  await amend(call, () => ({ address, nonce }))
}

export async function setStorageAt(
  call: RpcCall,
  address: Uint8Array,
  slot: Uint8Array,
  value: Uint8Array,
): Promise<true> {
  await amend(call, () => ({ address, storage: [{ slot, value }] }))
  return true
}
